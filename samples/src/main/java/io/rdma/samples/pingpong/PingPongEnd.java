package io.rdma.samples.pingpong;

import io.rdma.types.GidTableEntry;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.SendChain;

/** One queue pair of a ping-pong, with its path and its turn. */
final class PingPongEnd {
    private final QueuePair pair;
    private final PingPongPath path;
    private final PingPongAddress local;
    private boolean sending;
    private int turns; // messages that arrived and are not yet answered

    PingPongEnd(QueuePair pair, PingPongPath path, PingPongAddress local) {
        this.pair = pair;
        this.path = path;
        this.local = local;
    }

    PingPongAddress local() {
        return local;
    }

    /** Moves the queue pair from INIT to RTS, with the peer's address. */
    void up(GidTableEntry gid, PingPongAddress remote) {
        path.up(gid, local, remote);
        System.out.println(remote.line("remote"));
    }

    /**
     * Posts the next message.
     *
     * @return what ibv_post_send returns
     */
    int post(SendChain chain) {
        path.address(chain);
        sending = true;
        return pair.post(chain);
    }

    void sendCompleted() {
        sending = false;
    }

    void messageArrived() {
        turns++;
    }

    /** Returns whether the next message is due, which the caller then posts. */
    boolean takeTurn() {
        if (sending || turns == 0) {
            return false;
        }
        turns--;
        return true;
    }
}
