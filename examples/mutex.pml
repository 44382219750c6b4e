/* Peterson's algorithm for two processes. */
bool wants[2];
byte turn, inside;

active [2] proctype P() {
    do
    :: wants[_pid] = true;
       turn = 1 - _pid;
wait:  (!wants[1 - _pid] || turn == _pid);
cs:    inside++;
       assert(inside == 1);
       inside--;
       wants[_pid] = false
    od
}

ltl exclusion { [] (inside <= 1) }
ltl served { [] (P[0]@wait -> <> P[0]@cs) }
