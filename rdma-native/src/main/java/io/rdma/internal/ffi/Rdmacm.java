package io.rdma.internal.ffi;

import io.rdma.internal.ibv.CmAddrInfo;
import io.rdma.internal.ibv.CmEventEntry;
import io.rdma.internal.ibv.CmIdEntry;
import io.rdma.internal.ibv.CmQpAttr;
import io.rdma.internal.ibv.Cma;
import io.rdma.internal.ibv.ConnParam;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.types.VerbsException;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * librdmacm as the layers above see it: one method per C call, named as in C but in camel case, with its man page.
 *
 * <p>It has two implementations: {@code FfmRdmacm} (the real library) and {@code SoftRdmacm} (the software device). The
 * conventions are those of {@link Verbs}: objects are {@code long} handles, structures are records, and a failure is a
 * {@link VerbsException} with a positive errno. A call that takes time only starts its work. The result arrives as an
 * event on the identifier's channel. Any thread may call. Only {@link #pollEventChannel} and {@link #destroyId} wait,
 * the latter for a {@link #getCmEvent} that runs on another thread.
 *
 * <p>Handles of contexts, domains, completion queues and queue pairs are those of the {@link Verbs} instance that this
 * belongs to.
 */
public interface Rdmacm {

    /**
     * Opens a channel for events, {@code rdma_create_event_channel(3)}.
     *
     * @return handle
     */
    long createEventChannel();

    /**
     * Closes a channel, {@code rdma_destroy_event_channel(3)}. Its identifiers must have been destroyed or migrated.
     *
     * @param channel handle
     */
    void destroyEventChannel(long channel);

    /**
     * Waits until the channel has an event, {@code poll(2)} on its descriptor, or {@link #wakeEventChannel} is called.
     *
     * @param channel handle
     * @param timeoutMillis longest wait in milliseconds; 0 does not wait, -1 waits forever
     * @return true if an event is available, {@code false} after a wake-up or time-out
     */
    boolean pollEventChannel(long channel, int timeoutMillis);

    /**
     * Ends the current {@link #pollEventChannel}, or the next one: one wake-up is remembered. Any thread.
     *
     * @param channel handle
     */
    void wakeEventChannel(long channel);

    /**
     * Takes, copies and acknowledges one event, {@code rdma_get_cm_event(3)} and {@code rdma_ack_cm_event(3)}. Does
     * not block.
     *
     * @param channel handle
     * @return a copy of the event, or null if there is none
     */
    @Nullable
    CmEventEntry getCmEvent(long channel);

    /**
     * Creates an identifier, {@code rdma_create_id(3)}.
     *
     * @param channel channel of its events
     * @param portSpace {@code RDMA_PS_*} of {@link Cma}
     * @return handle
     */
    long createId(long channel, int portSpace);

    /**
     * Destroys an identifier, {@code rdma_destroy_id(3)}. Its queue pair must have been destroyed. Its pending events
     * are dropped.
     *
     * @param id handle
     */
    void destroyId(long id);

    /**
     * Reads the state of an identifier, {@code struct rdma_cm_id}.
     *
     * @param id handle
     * @return a snapshot
     */
    CmIdEntry queryId(long id);

    /**
     * Binds to a local address, {@code rdma_bind_addr(3)}.
     *
     * @param id handle
     * @param address local address; port 0 chooses a free port
     */
    void bindAddr(long id, InetSocketAddress address);

    /**
     * Starts to resolve an IP address to a device and its address, {@code rdma_resolve_addr(3)}.
     *
     * @param id handle
     * @param source local address, or null
     * @param destination address of the peer
     * @param timeoutMillis time limit for the answer
     */
    void resolveAddr(long id, @Nullable InetSocketAddress source, InetSocketAddress destination, int timeoutMillis);

    /**
     * Starts to resolve the route, {@code rdma_resolve_route(3)}.
     *
     * @param id handle, its address resolved
     * @param timeoutMillis time limit for the answer
     */
    void resolveRoute(long id, int timeoutMillis);

    /**
     * Listens, {@code rdma_listen(3)}.
     *
     * @param id handle, bound
     * @param backlog largest number of pending requests
     */
    void listen(long id, int backlog);

    /**
     * Starts to connect, {@code rdma_connect(3)}.
     *
     * @param id handle, its route resolved
     * @param param requested parameters
     */
    void connect(long id, ConnParam param);

    /**
     * Accepts a connection request, {@code rdma_accept(3)}. If the identifier has a queue pair, the call moves it
     * to RTS.
     *
     * @param id handle of the new identifier
     * @param param requested parameters
     */
    void accept(long id, ConnParam param);

    /**
     * Rejects a connection request, {@code rdma_reject(3)}.
     *
     * @param id handle of the new identifier
     * @param privateData data for the peer, at most 148 bytes
     */
    void reject(long id, byte[] privateData);

    /**
     * Ends a connection, {@code rdma_disconnect(3)}. If the identifier has a queue pair, the call moves it to ERR.
     *
     * @param id handle
     */
    void disconnect(long id);

    /**
     * Notifies the peer that a queue pair which does not belong to the identifier is ready, {@code rdma_establish(3)}.
     *
     * @param id handle
     */
    void establish(long id);

    /**
     * Returns attributes for a transition of a queue pair that does not belong to the
     * identifier, {@code rdma_init_qp_attr(3)}.
     *
     * @param id handle
     * @param qpState target state, {@code IBV_QPS_*}
     * @return the attributes
     */
    CmQpAttr initQpAttr(long id, int qpState);

    /**
     * Creates a queue pair that the identifier moves through its states, {@code rdma_create_qp(3)}.
     *
     * @param id handle, bound to a device
     * @param pd handle of a domain of the library's context ({@link CmIdEntry#context}), or 0 for {@link CmIdEntry#pd}
     * @param attr requested attributes
     * @return handle, number and granted capacity
     */
    Qp createQp(long id, long pd, QpInitAttr attr);

    /**
     * Creates a queue pair for {@link ExtendedVerbs#wrPost} that the identifier moves through its states,
     * {@code rdma_create_qp_ex}, see {@code rdma_create_qp(3)}.
     *
     * @param id as for {@link #createQp}
     * @param pd as for {@link #createQp}
     * @param attr as for {@link #createQp}
     * @param sendOps as for {@link ExtendedVerbs#createQpEx}
     * @return as {@link #createQp}
     */
    Qp createQpEx(long id, long pd, QpInitAttr attr, long sendOps);

    /**
     * Destroys the identifier's queue pair, {@code rdma_destroy_qp(3)}.
     *
     * @param id handle
     */
    void destroyQp(long id);

    /**
     * Moves an identifier and its pending events to another channel, {@code rdma_migrate_id(3)}.
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
     * @param value value in the option's unit
     */
    void setOption(long id, int option, int value);

    /**
     * Starts to join a group, {@code rdma_join_multicast_ex(3)}. If the identifier has a queue pair, it is attached to
     * the group.
     *
     * @param id handle of the UDP port space, bound or resolved
     * @param group address of the group
     * @param joinFlags {@code RDMA_MC_JOIN_FLAG_*}
     */
    void joinMulticast(long id, InetSocketAddress group, int joinFlags);

    /**
     * Leaves a group, {@code rdma_leave_multicast(3)}.
     *
     * @param id handle
     * @param group address of the group that was joined
     */
    void leaveMulticast(long id, InetSocketAddress group);

    /**
     * Translates names to addresses, {@code rdma_getaddrinfo(3)}.
     *
     * @param node host name or address, or null for a passive lookup
     * @param service port number or service name
     * @param passive whether the address is for listening
     * @param portSpace {@code RDMA_PS_*}
     * @return the entries in order of preference, not empty
     */
    List<CmAddrInfo> getAddrInfo(@Nullable String node, String service, boolean passive, int portSpace);
}
