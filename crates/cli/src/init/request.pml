/* A client sends a request over a network and waits for the reply of a server. The network may lose the request. */

mtype = { request, reply };

chan up = [1] of { mtype };		/* from the client to the server */
chan down = [1] of { mtype };		/* from the server to the client */

bool waiting, busy;

active proctype Client()
{
	do
	:: up!request; waiting = true; down?reply; waiting = false
	od
}

active proctype Server()
{
	do
	:: up?request; busy = true; down!reply; busy = false
	od
}

/* To try next: remove this process, and check again. */
active proctype Network()
{
	do
	:: up?request
	od
}
