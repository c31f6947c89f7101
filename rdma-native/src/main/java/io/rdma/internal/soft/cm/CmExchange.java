package io.rdma.internal.soft.cm;

import static io.rdma.internal.ibv.Cma.*;

import io.rdma.environment.Environment;
import io.rdma.internal.ibv.ConnParam;
import io.rdma.types.VerbsException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

// Invariant: everything but the final fields is guarded by the identifier's monitor.

/** A {@link CmConversation} of an identifier, with its peer, its timer, and the translation into events. */
final class CmExchange implements CmConversation.Side {
    private static final int ETIMEDOUT = 110;

    final SoftCmId id;
    final CmConversation conversation;
    private final CmAgent agent;
    private final long transaction;
    private @Nullable InetSocketAddress peer; // null until the active side has found it
    private Environment.@Nullable Timer timer;
    private int timers; // since the start
    private @Nullable Socket line; // of CmRendezvous: its end shows the peer that this side has ended

    CmExchange(CmAgent agent, SoftCmId id, int number, long transaction, @Nullable InetSocketAddress peer) {
        this.agent = agent;
        this.id = id;
        this.transaction = transaction;
        this.peer = peer;
        conversation = new CmConversation(this, number);
    }

    /** Keeps a line open until the conversation is closed. */
    void hold(Socket open) {
        line = open;
    }

    /** Sets the address of the peer's device. */
    void found(InetSocketAddress device) {
        peer = device;
    }

    boolean isWith(InetSocketAddress device) {
        return device.equals(peer);
    }

    @Nullable
    InetSocketAddress peer() {
        return peer;
    }

    @Override
    public void send(CmMad message) {
        InetSocketAddress to = peer;
        if (to != null) {
            agent.send(transaction, message, to);
        }
    }

    @Override
    public void timer(long nanos) {
        Environment.Timer last = timer;
        if (last != null) {
            last.cancel();
        }
        int number = ++timers; // an expiry that is under way finds another number
        timer = nanos == 0 ? null : agent.after(nanos, () -> expired(number));
    }

    private void expired(int number) {
        synchronized (id) {
            if (number == timers) {
                conversation.expired();
            }
        }
    }

    @Override
    public void heard(CmMad message) {
        switch (message) {
            case CmReply reply -> established(reply);
            case CmMad.Ready ready -> id.tell(CM_EVENT_ESTABLISHED, 0);
            case CmReject reject ->
                id.tell(
                        CM_EVENT_REJECTED,
                        reject.reason(),
                        new ConnParam(reject.privateData(), 0, 0, 0, 0, 0, false, 0));
            case CmLookupReply reply -> {
                if (reply.status() == CmLookupReply.VALID) {
                    id.tellOf(reply);
                } else {
                    id.tell(CM_EVENT_UNREACHABLE, reply.status());
                }
            }
            default -> {}
        }
    }

    private void established(CmReply reply) {
        id.heard(reply);
        SoftRdmacm manager = agent.manager();
        if (id.qp == 0 && !manager.isIwarp()) {
            id.tell(CM_EVENT_CONNECT_RESPONSE, 0, CmParameters.seen(reply));
            return;
        }
        try {
            manager.moveToReadyToSend(id, false);
        } catch (VerbsException e) {
            log().log(System.Logger.Level.WARNING, "the peer's answer does not fit the queue pair: " + e.getMessage());
            conversation.abandon();
            id.tell(CM_EVENT_CONNECT_ERROR, -e.errno());
            return;
        }
        conversation.establish();
        id.tell(CM_EVENT_ESTABLISHED, 0, CmParameters.seen(reply));
    }

    @Override
    public void unanswered() {
        id.tell(CM_EVENT_UNREACHABLE, -ETIMEDOUT);
    }

    @Override
    public void disconnected() {
        id.tell(CM_EVENT_DISCONNECTED, 0);
    }

    @Override
    public void forgotten(boolean connected) {
        agent.forget(this);
        if (line != null) {
            CmRoute.close(line);
        }
        if (connected) {
            id.tell(CM_EVENT_TIMEWAIT_EXIT, 0);
        }
    }

    private static System.Logger log() {
        return System.getLogger(CmExchange.class.getName());
    }
}
