package io.rdma.internal.ffi;

import io.rdma.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * librdmacm as the layers above see it: one method per C call, C's names in camel case, the man page named beside each.
 *
 * <p>Two implementations exist, {@code FfmRdmacm} (the real library) and {@code SoftRdmacm} (the software device).
 * Conventions are those of {@link Verbs}: objects are {@code long} handles; structures are records; a failure is a
 * {@link VerbsException} with a positive errno. A call only starts what takes time; how it went is an event of the
 * identifier's channel. Any thread may call; only {@link #pollEventChannel} and {@link #destroyId} wait, the latter for
 * other threads' {@link #getCmEvent}.
 *
 * <p>Handles of contexts, domains, completion queues and queue pairs are those of the {@link Verbs} beside it.
 */
public interface Rdmacm {

    /**
     * Opens a channel for events, {@code rdma_create_event_channel(3)}.
     *
     * @return handle
     */
    long createEventChannel();

    /**
     * Closes a channel, {@code rdma_destroy_event_channel(3)}; its identifiers must be gone, or migrated.
     *
     * @param channel handle
     */
    void destroyEventChannel(long channel);

    /**
     * Waits until the channel has an event, {@code poll(2)} on its descriptor, or {@link #wakeEventChannel} is called.
     *
     * @param channel handle
     * @param timeoutMillis most milliseconds to wait; 0 does not wait, -1 is forever
     * @return whether an event is there; a wake-up or time-out is {@code false}
     */
    boolean pollEventChannel(long channel, int timeoutMillis);

    /**
     * Ends a {@link #pollEventChannel} that waits, or the next one: a wake-up is remembered once. Any thread.
     *
     * @param channel handle
     */
    void wakeEventChannel(long channel);

    /**
     * Takes, copies and acknowledges one event, {@code rdma_get_cm_event(3)} and {@code rdma_ack_cm_event(3)}; does not
     * block.
     *
     * @param channel handle
     * @return a copy of the event, or null when there is none
     */
    @Nullable
    CmEventEntry getCmEvent(long channel);

    /**
     * Creates an identifier, {@code rdma_create_id(3)}.
     *
     * @param channel where its events go
     * @param portSpace {@code RDMA_PS_*} of {@link Cma}
     * @return handle
     */
    long createId(long channel, int portSpace);

    /**
     * Destroys an identifier, {@code rdma_destroy_id(3)}; its queue pair must be gone. Its events that nobody took are
     * dropped.
     *
     * @param id handle
     */
    void destroyId(long id);

    /**
     * What an identifier says of itself, {@code struct rdma_cm_id}.
     *
     * @param id handle
     * @return a snapshot
     */
    CmIdEntry queryId(long id);

    /**
     * Binds to a local address, {@code rdma_bind_addr(3)}.
     *
     * @param id handle
     * @param address port 0 takes a free one
     */
    void bindAddr(long id, InetSocketAddress address);

    /**
     * Starts to find the device and the address behind an IP address, {@code rdma_resolve_addr(3)}.
     *
     * @param id handle
     * @param source local address, or null
     * @param destination of the peer
     * @param timeoutMillis for the answer
     */
    void resolveAddr(long id, @Nullable InetSocketAddress source, InetSocketAddress destination, int timeoutMillis);

    /**
     * Starts to find the route, {@code rdma_resolve_route(3)}.
     *
     * @param id handle, its address resolved
     * @param timeoutMillis for the answer
     */
    void resolveRoute(long id, int timeoutMillis);

    /**
     * Listens, {@code rdma_listen(3)}.
     *
     * @param id handle, bound
     * @param backlog requests that may wait
     */
    void listen(long id, int backlog);

    /**
     * Starts to connect, {@code rdma_connect(3)}.
     *
     * @param id handle, its route resolved
     * @param param what is wanted
     */
    void connect(long id, ConnParam param);

    /**
     * Accepts a connection request, {@code rdma_accept(3)}; moves the identifier's queue pair, if it has one, to RTS.
     *
     * @param id handle of the new identifier
     * @param param what is wanted
     */
    void accept(long id, ConnParam param);

    /**
     * Refuses a connection request, {@code rdma_reject(3)}.
     *
     * @param id handle of the new identifier
     * @param privateData for the peer, at most 148 bytes
     */
    void reject(long id, byte[] privateData);

    /**
     * Ends a connection, {@code rdma_disconnect(3)}; moves the identifier's queue pair, if it has one, to ERR.
     *
     * @param id handle
     */
    void disconnect(long id);

    /**
     * Tells the peer that a queue pair which the identifier does not have is ready, {@code rdma_establish(3)}.
     *
     * @param id handle
     */
    void establish(long id);

    /**
     * Attributes for a transition of a queue pair that the identifier does not have, {@code rdma_init_qp_attr(3)}.
     *
     * @param id handle
     * @param qpState {@code IBV_QPS_*} to go to
     * @return the attributes
     */
    CmQpAttr initQpAttr(long id, int qpState);

    /**
     * Creates a queue pair that the identifier moves through its states, {@code rdma_create_qp(3)}.
     *
     * @param id handle, bound to a device
     * @param pd handle of a domain of the library's context ({@link CmIdEntry#context}), or 0 for {@link CmIdEntry#pd}
     * @param attr what is wanted
     * @return handle, number and what was granted
     */
    Qp createQp(long id, long pd, QpInitAttr attr);

    /**
     * Destroys the identifier's queue pair, {@code rdma_destroy_qp(3)}.
     *
     * @param id handle
     */
    void destroyQp(long id);

    /**
     * Moves an identifier, and its events that nobody took, to another channel, {@code rdma_migrate_id(3)}.
     *
     * @param id handle
     * @param channel handle
     */
    void migrateId(long id, long channel);

    /**
     * Sets an option of level {@code RDMA_OPTION_ID}, {@code rdma_set_option(3)}.
     *
     * @param id handle
     * @param option {@code RDMA_OPTION_ID_*}
     * @param value in the option's unit
     */
    void setOption(long id, int option, int value);

    /**
     * Starts to join a group, {@code rdma_join_multicast_ex(3)}; attaches the identifier's queue pair, if it has one.
     *
     * @param id handle of the UDP port space, bound or resolved
     * @param group address
     * @param joinFlags {@code RDMA_MC_JOIN_FLAG_*}
     */
    void joinMulticast(long id, InetSocketAddress group, int joinFlags);

    /**
     * Leaves a group, {@code rdma_leave_multicast(3)}.
     *
     * @param id handle
     * @param group address that was joined
     */
    void leaveMulticast(long id, InetSocketAddress group);

    /**
     * Translates names, {@code rdma_getaddrinfo(3)}.
     *
     * @param node host name or address, or null for a passive one
     * @param service port number or service name
     * @param passive whether to listen there
     * @param portSpace {@code RDMA_PS_*}
     * @return in the order of preference, not empty
     */
    List<CmAddrInfo> getAddrInfo(@Nullable String node, String service, boolean passive, int portSpace);
}
