/* The protocol of the barrier engine (docs/offload-engine.md): NODES nodes execute EPOCHS (1 or 2) barriers, all of which
 * may be in flight, over a network that delivers in any order, loses and duplicates. One process for each notification
 * carries it, its copies and its answers; one for each host posts descriptors at any time. Actions of an engine that wait
 * for nothing are one step with their cause.
 *
 * Must hold: no barrier is reported before all hosts have posted it, none twice, and at the end all are over on all
 * nodes: in every earlier state some process can proceed. The last condition excludes hangs if the network delivers one of
 * infinitely many copies, and hosts post eventually: the number of faults is limited; a time limit passes when nothing is
 * in flight, so that a packet was lost, or too early, which is counted; and a refused notification is repeated after the
 * receiver has changed (an earlier repetition would be refused again without any change). So no run is infinite.
 *
 * Parameters: NODES 2 to 4; RADIX 2, or 3 with 3 nodes; DEPTH of the DAMQ; CONTEXTS; LOSSES, COPIES and HASTE (time limits
 * that pass too early), each a number per run; ORDERED: notifications of a round are accepted in order, as in an allreduce;
 * TWO_IDS: the two barriers belong to two communicators, which hosts 1 and 2 may serve in the other order.
 *
 * Planted errors, each of which the verifier has to find:
 *   EARLY_SEND          a round leaves before the rounds before it have arrived
 *   ANY_EPOCH           a notification counts for the oldest barrier, whatever its epoch
 *   COUNT_ONLY          notifications of a round are counted, not distinguished
 *   NO_TIME_LIMIT       an unanswered notification is not sent again
 *   NO_RETRY            a refused notification is not sent again
 *   NO_BYPASS           the next notification of a posted barrier is refused, too, when the DAMQ is full
 *   SILENT_DUPLICATE    a notification that was received before is not answered
 *   REFUSAL_IS_ANSWER   a NACK counts like an ACK
 *   HASTY_RETIREMENT    a context is given up before its notifications are acknowledged
 *   ANY_RETIREMENT      an epoch retires before an earlier one
 *   REPORT_AGAIN        the end of a barrier is reported at every check
 *   FEW_CONTEXTS        hosts post more barriers, in another order, than there are contexts (not an engine's error: drivers
 *                       have to avoid it)
 */

/* With two barriers these planted errors would only be found later. */
#if defined(EARLY_SEND) || defined(SILENT_DUPLICATE) || defined(COUNT_ONLY)
#define EPOCHS 1
#endif
#ifdef EARLY_SEND /* with three nodes, all hear of all others directly */
#define NODES 4
#endif
#ifdef COUNT_ONLY
#define RADIX 3
#define COPIES 1
#endif
#ifdef FEW_CONTEXTS
#define TWO_IDS
#define CONTEXTS 1
#endif
#ifndef NODES
#define NODES 3
#endif
#ifndef RADIX
#define RADIX 2
#endif
#ifndef EPOCHS
#define EPOCHS 2
#endif
#ifndef DEPTH
#define DEPTH 1
#endif
#ifndef CONTEXTS
#define CONTEXTS 2
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef COPIES
#define COPIES 0
#endif
#ifndef HASTE
#define HASTE 0
#endif

#if RADIX == 3
#define ROUNDS 1
#define SENDS 2 /* a node's notifications in a round, to the next one and the one after */
#define DISTANCE(round, way) (way + 1)
#else
#if NODES == 2
#define ROUNDS 1
#else
#define ROUNDS 2
#endif
#define SENDS 1
#define DISTANCE(round, way) (1 << round)
#endif
#define ALL ((1 << SENDS) - 1)
#define EVERY (EPOCHS * ROUNDS * SENDS * NODES)
/* Notifications by receiver: way `way` to `node`. */
#define AT(epoch, round, way, node) (((epoch * ROUNDS + round) * SENDS + way) * NODES + node)
#define HERE(epoch, node) (epoch * NODES + node)

/* By notification. */
bool is_sent[EVERY], is_acked[EVERY], is_refused[EVERY]; /* at its sender */
bool is_kept[EVERY];                                     /* in the receiver's DAMQ */
bool is_pointless[EVERY];                                /* refused by the receiver as it is */
byte requests[EVERY], acks[EVERY], nacks[EVERY];         /* in flight */

/* By epoch and node. */
bool is_posted[EPOCHS * NODES], is_reported[EPOCHS * NODES], is_over[EPOCHS * NODES];
byte round_of[EPOCHS * NODES]; /* being received */
byte got[EPOCHS * NODES];      /* ways */

byte kept[NODES]; /* entries of the DAMQ in use */
byte all_reported, all_over; /* on all nodes together */
byte losses = LOSSES, copies = COPIES, haste = HASTE;
byte time_limits; /* that have passed with nothing in flight */

#define IS_ACTIVE(epoch, node) (is_posted[HERE(epoch, node)] && !is_over[HERE(epoch, node)])

hidden byte e, r, w, n, from;
hidden byte again, is_complete;

/* Refused notifications may be accepted now. */
inline receiver_changed(node) {
  for (e : 0 .. EPOCHS - 1) {
    for (r : 0 .. ROUNDS - 1) {
      for (w : 0 .. SENDS - 1) { is_pointless[AT(e, r, w, node)] = false }
    }
  };
  skip /* a d_step cannot end with a loop */
}

inline take(epoch, way, node) {
#ifdef COUNT_ONLY
  got[HERE(epoch, node)] = got[HERE(epoch, node)] * 2 + 1;
#else
  got[HERE(epoch, node)] = got[HERE(epoch, node)] | (1 << way);
#endif
  if
  :: got[HERE(epoch, node)] == ALL ->
    got[HERE(epoch, node)] = 0;
    round_of[HERE(epoch, node)]++
  :: else -> skip
  fi
}

#ifdef ORDERED
#define IS_NEXT(epoch, way, node) (got[HERE(epoch, node)] == (1 << way) - 1)
#else
#define IS_NEXT(epoch, way, node) (!(got[HERE(epoch, node)] & (1 << way)))
#endif
#ifdef COUNT_ONLY
#define HAS_COME(epoch, way, node) false
#undef IS_NEXT
#define IS_NEXT(epoch, way, node) true
#else
#define HAS_COME(epoch, way, node) (got[HERE(epoch, node)] & (1 << way))
#endif

/* SE takes entries from the DAMQ until none can be accepted. */
inline look(node) {
  again = true;
  do
  :: !again -> break
  :: else ->
    again = false;
    for (e : 0 .. EPOCHS - 1) {
      for (w : 0 .. SENDS - 1) {
        if
        :: IS_ACTIVE(e, node) && round_of[HERE(e, node)] < ROUNDS ->
          r = round_of[HERE(e, node)];
          if
          :: is_kept[AT(e, r, w, node)] && IS_NEXT(e, w, node) ->
            is_kept[AT(e, r, w, node)] = false;
            kept[node]--;
            take(e, w, node);
            again = true
          :: else -> skip
          fi
        :: else -> skip
        fi
      }
    }
  od
}

#ifdef EARLY_SEND
#define MAY_LEAVE(epoch, round, node) true
#else
#define MAY_LEAVE(epoch, round, node) (round_of[HERE(epoch, node)] >= round)
#endif

/* TE sends all notifications that may be sent. */
inline transmit(node) {
  for (e : 0 .. EPOCHS - 1) {
    for (r : 0 .. ROUNDS - 1) {
      for (w : 0 .. SENDS - 1) {
        n = (node + DISTANCE(r, w)) % NODES;
        if
        :: IS_ACTIVE(e, node) && MAY_LEAVE(e, r, node) && !is_sent[AT(e, r, w, n)] ->
          is_sent[AT(e, r, w, n)] = true;
          requests[AT(e, r, w, n)]++
        :: else -> skip
        fi
      }
    }
  }
}

/* CU */
inline report(node) {
  for (e : 0 .. EPOCHS - 1) {
    if
#ifdef REPORT_AGAIN
    :: IS_ACTIVE(e, node) && round_of[HERE(e, node)] == ROUNDS ->
#else
    :: IS_ACTIVE(e, node) && round_of[HERE(e, node)] == ROUNDS && !is_reported[HERE(e, node)] ->
#endif
      assert(!is_reported[HERE(e, node)]);
      is_reported[HERE(e, node)] = true;
      all_reported++;
      for (n : 0 .. NODES - 1) { assert(is_posted[HERE(e, n)]) }
    :: else -> skip
    fi
  }
}

inline retire(node) {
  for (e : 0 .. EPOCHS - 1) {
    is_complete = is_reported[HERE(e, node)] && !is_over[HERE(e, node)];
    for (r : 0 .. ROUNDS - 1) {
      for (w : 0 .. SENDS - 1) {
        n = (node + DISTANCE(r, w)) % NODES;
#ifdef HASTY_RETIREMENT
        is_complete = is_complete && is_sent[AT(e, r, w, n)];
#else
        is_complete = is_complete && is_acked[AT(e, r, w, n)];
#endif
      }
    }
#if !defined(TWO_IDS) && !defined(ANY_RETIREMENT)
    if
    :: e > 0 && !is_over[HERE((e - 1), node)] -> is_complete = false
    :: else -> skip
    fi;
#endif
    if
    :: is_complete ->
      is_over[HERE(e, node)] = true;
      all_over++;
#ifdef ANY_RETIREMENT
      /* All epochs before it count as over. */
      for (n : 0 .. e) {
        if
        :: !is_over[HERE(n, node)] -> is_over[HERE(n, node)] = true; all_over++
        :: else -> skip
        fi
      };
#endif
      for (r : 0 .. ROUNDS - 1) {
        for (w : 0 .. SENDS - 1) { assert(!is_kept[AT(e, r, w, node)]) }
      }
    :: else -> skip
    fi
  };
  skip
}

inline settle(node) {
  look(node);
  transmit(node);
  report(node);
  retire(node);
  receiver_changed(node)
}

/* SE's table of answers. */
inline receive(number, epoch, round, way, node) {
  requests[number]--;
  if
  :: is_over[HERE(epoch, node)] || round_of[HERE(epoch, node)] > round ||
     (round_of[HERE(epoch, node)] == round && HAS_COME(epoch, way, node)) || is_kept[number] ->
#ifndef SILENT_DUPLICATE
    acks[number]++
#endif
  :: else ->
    if
#ifdef NO_BYPASS
    :: IS_ACTIVE(epoch, node) && round_of[HERE(epoch, node)] == round && IS_NEXT(epoch, way, node) && kept[node] < DEPTH ->
#else
    :: IS_ACTIVE(epoch, node) && round_of[HERE(epoch, node)] == round && IS_NEXT(epoch, way, node) ->
#endif
      acks[number]++;
      take(epoch, way, node);
      settle(node)
    :: else ->
      if
      :: kept[node] < DEPTH ->
        kept[node]++;
        is_kept[number] = true;
        acks[number]++;
        receiver_changed(node)
      :: else ->
        is_pointless[number] = true;
        nacks[number]++
      fi
    fi
  fi
}

/* The notification of `way` in `round` of `epoch` to `node`. */
proctype notification(byte epoch, round, way, node, number, sender) {
end:
  do
  :: d_step {
      requests[number] > 0;
#ifdef ANY_EPOCH
      e = 0;
      do
      :: e + 1 < EPOCHS && is_over[HERE(e, node)] -> e++
      :: else -> break
      od;
      from = e;
      receive(number, from, round, way, node)
#else
      receive(number, epoch, round, way, node)
#endif
    }
  :: d_step {
      acks[number] > 0;
      acks[number]--;
      if
      :: IS_ACTIVE(epoch, sender) ->
        is_acked[number] = true;
        is_refused[number] = false;
        retire(sender);
        receiver_changed(sender)
      :: else -> skip
      fi
    }
  :: d_step {
      nacks[number] > 0;
      nacks[number]--;
      if
      :: IS_ACTIVE(epoch, sender) && !is_acked[number] ->
#ifdef REFUSAL_IS_ANSWER
        is_acked[number] = true;
        retire(sender)
#else
        is_refused[number] = true
#endif
      :: else -> skip
      fi
    }
#ifndef NO_RETRY
  :: d_step {
      is_refused[number] && !is_pointless[number] && IS_ACTIVE(epoch, sender);
      is_refused[number] = false;
      requests[number]++
    }
#endif
#ifndef NO_TIME_LIMIT
  :: d_step {
      is_sent[number] && !is_acked[number] && !is_refused[number] && IS_ACTIVE(epoch, sender) &&
        requests[number] + acks[number] + nacks[number] == 0;
      requests[number]++;
      time_limits++;
      assert(time_limits <= LOSSES - losses)
    }
#endif
  :: d_step {
      haste > 0 && is_sent[number] && !is_acked[number] && IS_ACTIVE(epoch, sender);
      haste--;
      is_refused[number] = false;
      requests[number]++
    }
  :: d_step { losses > 0 && requests[number] > 0; losses--; requests[number]-- }
  :: d_step { losses > 0 && acks[number] > 0; losses--; acks[number]-- }
  :: d_step { losses > 0 && nacks[number] > 0; losses--; nacks[number]-- }
  :: d_step { copies > 0 && requests[number] > 0; copies--; requests[number]++ }
  :: d_step { copies > 0 && acks[number] > 0; copies--; acks[number]++ }
  :: d_step { copies > 0 && nacks[number] > 0; copies--; nacks[number]++ }
  od
}

/* Number of contexts in use. */
#if EPOCHS == 1
#define TAKEN(node) IS_ACTIVE(0, node)
#else
#define TAKEN(node) (IS_ACTIVE(0, node) + IS_ACTIVE(1, node))
#endif

proctype host(byte node) {
  byte posts, which;
#ifdef TWO_IDS
  bool is_other_way;
  if
  :: node > 0 -> is_other_way = true
  :: true -> skip
  fi;
#endif
end:
  do
  :: d_step {
      posts < EPOCHS && TAKEN(node) < CONTEXTS;
      which = posts;
#ifdef TWO_IDS
      if
      :: is_other_way -> which = EPOCHS - 1 - posts
      :: else -> skip
      fi;
#endif
      is_posted[HERE(which, node)] = true;
      posts++;
      which = 0;
      settle(node)
    }
  od
}

init {
  byte epoch, round, way, node;
  atomic {
    for (epoch : 0 .. EPOCHS - 1) {
      for (round : 0 .. ROUNDS - 1) {
        for (way : 0 .. SENDS - 1) {
          for (node : 0 .. NODES - 1) {
            run notification(epoch, round, way, node, AT(epoch, round, way, node),
                             (node + NODES - DISTANCE(round, way)) % NODES)
          }
        }
      }
    };
    for (node : 0 .. NODES - 1) { run host(node) };
    epoch = 0;
    round = 0;
    way = 0;
    node = 0
  };
  /* If it blocks here forever, no process can proceed. */
  all_reported == EPOCHS * NODES && all_over == EPOCHS * NODES
}
