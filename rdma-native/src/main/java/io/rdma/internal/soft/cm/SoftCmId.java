package io.rdma.internal.soft.cm;

import static io.rdma.internal.ibv.Cma.*;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.CmEventEntry;
import io.rdma.internal.ibv.ConnParam;
import io.rdma.internal.soft.objects.SoftObject;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - Everything is guarded by the identifier's monitor. Its events are added under the monitor too: so none reaches the
// old channel after a migration, and none is added after the destruction.
// - No thread holds the monitor while it waits for the network.
// - The state is TALKING exactly while there is an exchange. The exchange's conversation has the detailed state.

/** One identifier of {@link SoftRdmacm}: its state, its addresses, its events, and its exchange with the peer. */
final class SoftCmId extends SoftObject {
    /** States, see docs/guide/connecting.md. {@link CmConversation.State} details TALKING. */
    enum State {
        IDLE,
        BOUND,
        ADDRESS,
        ROUTE,
        LISTENING,
        TALKING,
        DESTROYED
    }

    static final int REQUEST_DATA = CmRequest.PRIVATE_DATA - CmAddressing.BYTES;
    static final int LOOKUP_DATA = CmLookup.PRIVATE_DATA - CmAddressing.BYTES;

    final int portSpace;
    SoftCmChannel channel;
    State state = State.IDLE;

    @Nullable
    SoftCmId listener; // of an identifier created by a request, until the application takes its event

    @Nullable
    InetSocketAddress local;

    @Nullable
    InetSocketAddress remote;

    @Nullable
    CmPort port;

    @Nullable
    CmExchange exchange;

    boolean onDevice;
    long qp; // created by rdma_create_qp, or 0
    final CmParameters parameters;
    boolean ipv6Only;
    private final AtomicInteger untaken = new AtomicInteger(); // requests that the application has not taken
    private int backlog;
    final CmGroups groups = new CmGroups(this);

    SoftCmId(int portSpace, SoftCmChannel channel, int devicePort) {
        this.portSpace = portSpace;
        this.channel = channel;
        parameters = new CmParameters(isDatagram(), devicePort);
    }

    @Override
    public String struct() {
        return "rdma_cm_id";
    }

    boolean isDatagram() {
        return portSpace == PS_UDP;
    }

    void require(String call, State... allowed) {
        if (!Arrays.asList(allowed).contains(state)) {
            throw new VerbsException(
                    call, Errno.EINVAL, "The identifier is " + state + ", this call needs " + Arrays.toString(allowed));
        }
    }

    /** Returns the conversation, which must be in one of the allowed states. */
    CmConversation talking(String call, CmConversation.State... allowed) {
        CmExchange now = exchange;
        require(call, State.TALKING);
        if (now == null || !Arrays.asList(allowed).contains(now.conversation.state())) {
            throw new VerbsException(
                    call,
                    Errno.EINVAL,
                    "The connection is " + (now == null ? "over" : now.conversation.state()) + ", this call needs "
                            + Arrays.toString(allowed));
        }
        return now.conversation;
    }

    void listening(int most) {
        backlog = most;
        state = State.LISTENING;
    }

    boolean hasRoom() {
        return state == State.LISTENING && untaken.get() < backlog;
    }

    /** Returns whether this listener serves requests for a service at an address. */
    boolean serves(long service, InetAddress address) {
        InetSocketAddress at = local;
        return at != null
                && service == CmAddressing.service(portSpace, at.getPort())
                && (isAnyFor(at.getAddress(), address) || at.getAddress().equals(address));
    }

    private boolean isAnyFor(InetAddress at, InetAddress address) {
        boolean other = ipv6Only && at instanceof Inet6Address && !(address instanceof Inet6Address);
        return at.isAnyLocalAddress() && !other;
    }

    /** Adds an event of this identifier. */
    void tell(int event, int status) {
        tell(event, status, CmParameters.NONE);
    }

    void tell(int event, int status, ConnParam param) {
        if (state != State.DESTROYED) {
            channel.events.add(new CmEventEntry(event, status, handle, 0, param, null, 0));
        }
    }

    /** Adds the event of a request to this listener. */
    void tellOf(SoftCmId made, CmMad request) {
        untaken.incrementAndGet();
        channel.events.add(new CmEventEntry(
                CM_EVENT_CONNECT_REQUEST, 0, made.handle, handle, CmParameters.seen(request), null, 0));
    }

    /** Notes that the application has taken the event of the request. */
    void taken() {
        SoftCmId by = listener;
        if (by != null) {
            by.untaken.decrementAndGet();
            listener = null;
        }
    }

    /** Adds the event that a datagram service was found, with the path to its peer. */
    void tellOf(CmLookupReply service) {
        CmExchange now = exchange;
        InetSocketAddress at = now == null ? null : now.peer();
        if (state != State.DESTROYED && at != null) {
            AhAttr path = parameters.path(SoftAddress.gid(at));
            channel.events.add(new CmEventEntry(
                    CM_EVENT_ESTABLISHED, 0, handle, 0, CmParameters.seen(service), path, service.qkey()));
        }
    }

    /** Adds an event of a multicast group. */
    void tellOf(int event, int status, AhAttr path, int number) {
        if (state != State.DESTROYED) {
            ConnParam group = new ConnParam(new byte[0], 0, 0, 0, 0, 0, false, number);
            channel.events.add(new CmEventEntry(event, status, handle, 0, group, path, UDP_QKEY));
        }
    }

    /** Creates this side's request to a peer whose GID is not known yet. */
    CmRequest request(int number, ConnParam sent, long guid, int transport, byte[] gid, int pathMtu, int timeout) {
        byte[] data = addressing().before(sent.privateData(), CmRequest.PRIVATE_DATA);
        return parameters.request(number, service(), sent, guid, transport, gid, pathMtu, timeout, data);
    }

    CmLookup lookup(int number, byte[] data) {
        return new CmLookup(number, service(), addressing().before(data, CmLookup.PRIVATE_DATA));
    }

    private long service() {
        return CmAddressing.service(portSpace, destination().getPort());
    }

    /** Returns the service ID of an identifier that was created by a request. */
    long servedAs() {
        return CmAddressing.service(portSpace, source().getPort());
    }

    private InetSocketAddress source() {
        InetSocketAddress from = local;
        if (from == null) {
            throw new AssertionError("a route without a source");
        }
        return from;
    }

    private InetSocketAddress destination() {
        InetSocketAddress to = remote;
        if (to == null) {
            throw new AssertionError("a route without a destination");
        }
        return to;
    }

    private CmAddressing addressing() {
        return new CmAddressing(source(), destination().getAddress());
    }

    /** Handles the request that created this identifier. */
    void asked(CmMad request) {
        CmExchange now = exchange;
        if (now != null && request instanceof CmRequest connect) {
            parameters.take(connect);
            now.conversation.requested(connect);
        } else if (now != null && request instanceof CmLookup lookup) {
            now.conversation.lookedUp(lookup);
        }
    }

    /** Handles the reply to the request of this identifier. */
    void heard(CmReply reply) {
        CmExchange now = exchange;
        InetSocketAddress at = now == null ? null : now.peer();
        if (at != null) {
            parameters.take(reply, SoftAddress.gid(at));
        }
    }
}
