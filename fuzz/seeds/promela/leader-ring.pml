/* Four processes in a ring elect the one with the largest number. */
#define N 4

mtype = { candidate, elected };
chan link[N] = [N] of { mtype, byte };
byte leaders;
byte known;

proctype Node(byte place; byte number) {
    byte other;
    bool active_ = true;

    link[(place + 1) % N]!candidate, number;
end:
    do
    :: link[place]?candidate, other ->
        if
        :: active_ && other == number ->
            leaders++;
            assert(leaders == 1);
            link[(place + 1) % N]!elected, number
        :: other > number ->
            active_ = false;
            link[(place + 1) % N]!candidate, other
        :: else -> skip
        fi
    :: link[place]?elected, other ->
        known++;
        if
        :: other == number -> break
        :: else -> link[(place + 1) % N]!elected, other
        fi
    od
}

init {
    byte i;
    atomic {
        for (i : 0 .. N - 1) {
            run Node(i, (i * 3) % N)
        }
    }
}

ltl one { [] (leaders <= 1) }
ltl some { <> (leaders == 1) }
