/* engine::Signal, one step for each atomic operation of the code: one thread sets it, two sleep until it is set, and the
 * first that sees it set frees the memory.
 *
 * Must hold: both wake up, and the setter does not access the word after that.
 *
 * Planted errors, each of which the verifier has to find:
 *   LOOK_BEFORE_SET     the setter looks for sleepers, then sets
 *   BLIND_SLEEP         the kernel does not compare before it puts a thread to sleep
 *   WAKE_ONE            only one of the sleepers is woken
 *   TOUCH_AFTER_SET     the setter looks for sleepers after setting
 */

#define WAITERS 2

mtype = { unset, set, awaited };

mtype state = unset;
bool is_sleeping[WAITERS];
byte left = WAITERS;
bool is_gone = false;

inline wake_all() {
  d_step {
#ifdef WAKE_ONE
    if
    :: is_sleeping[0] -> is_sleeping[0] = false
    :: else -> is_sleeping[1] = false
    fi
#else
    is_sleeping[0] = false;
    is_sleeping[1] = false
#endif
  }
}

proctype setter() {
  mtype was;
#if defined(LOOK_BEFORE_SET)
  was = state;
  state = set;
#elif defined(TOUCH_AFTER_SET)
  state = set;
  assert(!is_gone);
  was = set;
  wake_all();
#else
  atomic { was = state; state = set };
#endif
  if
  :: was == awaited -> wake_all()
  :: else -> skip
  fi
}

proctype waiter(byte me) {
  atomic {
    if
    :: state == unset -> state = awaited
    :: else -> skip
    fi
  };
  do
  :: state == set -> break
  :: else ->
    atomic {
      if
#ifdef BLIND_SLEEP
      :: true -> is_sleeping[me] = true
#else
      :: state == awaited -> is_sleeping[me] = true
      :: else -> skip
#endif
      fi
    };
    !is_sleeping[me]
  od;
  atomic {
    left--;
    if
    :: left == 0 -> is_gone = true
    :: else -> skip
    fi
  }
}

init {
  atomic {
    run setter();
    run waiter(0);
    run waiter(1)
  }
}
