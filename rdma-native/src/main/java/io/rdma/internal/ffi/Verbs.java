package io.rdma.internal.ffi;

import io.rdma.environment.Environment;
import io.rdma.internal.ibv.AsyncEventEntry;
import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.DeviceEntry;
import io.rdma.internal.ibv.GidEntry;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.PortAttr;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.RecvWr;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Sge;
import io.rdma.internal.ibv.Srq;
import io.rdma.internal.ibv.SrqAttr;
import io.rdma.internal.ibv.Wc;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * libibverbs as the layers above see it: one method per C call, named as in C but in camel case, with its man page.
 *
 * <p>It has two implementations: {@code FfmVerbs} (the real library) and {@code SoftVerbs} (the software
 * device). Conventions:
 *
 * <ul>
 * <li>Objects are {@code long} handles: pointers for the real library, opaque non-zero numbers for the software
 *     device. A handle is meaningful only to the instance that returned it, and must not be used after its object
 *     was destroyed.
 * <li><b>Control path</b> (every method that is not on the data path): structures are records. A failure is a
 *     {@link VerbsException} with the C name of the call and a positive errno.
 * <li><b>Data path</b> ({@code post*}, {@code pollCq}, {@code reqNotifyCq}): arguments are addresses of native memory
 *     in the layouts of {@link SendWr}, {@link RecvWr}, {@link Sge} and {@link Wc}, the same for both implementations.
 *     A result is {@code 0} or a count. A failure is a <em>negative</em> errno, whatever sign the provider uses. These
 *     methods allocate nothing and throw nothing.
 * <li>Any thread may call any method, as in C. Only {@code getCqEvent}, {@code pollCompChannel} and
 *     {@code pollAsyncEvents} block.
 * </ul>
 */
public interface Verbs extends DatagramVerbs {

    /**
     * Lists the devices that exist, {@code ibv_get_device_list(3)}. The list is empty if the kernel has no RDMA (NULL
     * with ENOSYS in C).
     *
     * @return a snapshot, in the order of the library
     */
    List<DeviceEntry> getDeviceList();

    /**
     * Opens a device by name, {@code ibv_open_device(3)}.
     *
     * @param name as in {@link DeviceEntry#name()}
     * @return handle of the {@code ibv_context}
     */
    long openDevice(String name);

    /**
     * Closes a context, {@code ibv_close_device(3)}. Every object created from it must have been destroyed.
     *
     * @param context handle
     */
    void closeDevice(long context);

    /**
     * Queries the device capabilities, {@code ibv_query_device(3)}.
     *
     * @param context handle
     * @return the attributes
     */
    DeviceAttr queryDevice(long context);

    /**
     * Queries the port attributes, {@code ibv_query_port(3)}.
     *
     * @param context handle
     * @param port from 1
     * @return the attributes
     */
    PortAttr queryPort(long context, int port);

    /**
     * Queries all valid GIDs of all ports with type and index, {@code ibv_query_gid_table(3)}.
     *
     * @param context handle
     * @return the entries
     */
    List<GidEntry> queryGidTable(long context);

    /**
     * Queries one GID with type and index, {@code ibv_query_gid_ex(3)}.
     *
     * @param context handle
     * @param port from 1
     * @param index in the port's table
     * @return the entry
     */
    GidEntry queryGidEx(long context, int port, int index);

    /**
     * Returns the number of completion vectors, {@code num_comp_vectors} of {@code struct ibv_context}.
     *
     * @param context handle
     * @return at least 1
     */
    int numCompVectors(long context);

    /**
     * Queries a partition key, in host order, {@code ibv_query_pkey(3)}.
     *
     * @param context handle
     * @param port from 1
     * @param index from 0
     * @return 0..65535
     */
    int queryPkey(long context, int port, int index);

    /**
     * Allocates a protection domain, {@code ibv_alloc_pd(3)}.
     *
     * @param context handle
     * @return handle
     */
    long allocPd(long context);

    /**
     * Frees a protection domain, {@code ibv_dealloc_pd(3)}; EBUSY while an object uses it.
     *
     * @param pd handle
     */
    void deallocPd(long pd);

    /**
     * Registers memory, {@code ibv_reg_mr_iova2}, see {@code ibv_reg_mr(3)}.
     *
     * @param pd handle
     * @param address first byte
     * @param length in bytes
     * @param iova the address by which work requests and peers name the first byte; normally {@code address}
     * @param access {@code IBV_ACCESS_*} of {@link Ibv}
     * @return handle and keys
     */
    Mr regMr(long pd, long address, long length, long iova, int access);

    /**
     * Deregisters memory, {@code ibv_dereg_mr(3)}.
     *
     * @param mr handle
     */
    void deregMr(long mr);

    /**
     * Creates a completion channel, {@code ibv_create_comp_channel(3)}.
     *
     * @param context handle
     * @return handle
     */
    long createCompChannel(long context);

    /**
     * Destroys a completion channel, {@code ibv_destroy_comp_channel(3)}; EBUSY while a CQ uses it.
     *
     * @param channel handle
     */
    void destroyCompChannel(long channel);

    /**
     * Creates a completion queue, {@code ibv_create_cq(3)}.
     *
     * @param context handle
     * @param cqe least number of entries
     * @param channel handle, or 0 for none
     * @param compVector completion vector, 0 to {@code num_comp_vectors - 1}
     * @return handle and granted number of entries
     */
    Cq createCq(long context, int cqe, long channel, int compVector);

    /**
     * Destroys a completion queue, {@code ibv_destroy_cq(3)}; blocks until all its events are acknowledged.
     *
     * @param cq handle
     */
    void destroyCq(long cq);

    /**
     * Creates a shared receive queue, {@code ibv_create_srq(3)}.
     *
     * @param pd handle
     * @param attr requested attributes; the limit is ignored
     * @return handle and granted attributes
     */
    Srq createSrq(long pd, SrqAttr attr);

    /**
     * Changes a shared receive queue, {@code ibv_modify_srq(3)}.
     *
     * @param srq handle
     * @param attr the values; only those named in {@code mask} take effect
     * @param mask {@code IBV_SRQ_*} of {@link Ibv}: {@code SRQ_LIMIT} arms the limit for one event, {@code SRQ_MAX_WR}
     *     changes the depth if the device supports it
     */
    void modifySrq(long srq, SrqAttr attr, int mask);

    /**
     * Queries the attributes of a shared receive queue, {@code ibv_query_srq(3)}.
     *
     * @param srq handle
     * @return the attributes; the limit is 0 if it is not armed or was reached
     */
    SrqAttr querySrq(long srq);

    /**
     * Destroys a shared receive queue, {@code ibv_destroy_srq(3)}; EBUSY while a queue pair uses it. Its posted
     * receives are discarded.
     *
     * @param srq handle
     */
    void destroySrq(long srq);

    /**
     * Creates a queue pair in RESET, {@code ibv_create_qp(3)}.
     *
     * @param pd handle
     * @param attr requested attributes
     * @return handle, number and granted capacity
     */
    Qp createQp(long pd, QpInitAttr attr);

    /**
     * Changes state and attributes, {@code ibv_modify_qp(3)}.
     *
     * @param qp handle
     * @param attr the values; only those named in {@code mask} take effect
     * @param mask {@code IBV_QP_*} of {@link Ibv}
     */
    void modifyQp(long qp, QpAttr attr, int mask);

    /**
     * Queries state and attributes, {@code ibv_query_qp(3)}.
     *
     * @param qp handle
     * @param mask {@code IBV_QP_*}
     * @return all attributes; those outside the mask are undefined
     */
    QpAttr queryQp(long qp, int mask);

    /**
     * Queries the attributes that a queue pair was created with, the other half of {@code ibv_query_qp(3)}.
     *
     * @param qp handle
     * @return the attributes, with the granted capacity
     */
    default QpInitAttr queryQpInit(long qp) {
        throw new VerbsException("ibv_query_qp", Errno.EOPNOTSUPP, null);
    }

    /**
     * Destroys a queue pair, {@code ibv_destroy_qp(3)}. Its completions that were not polled yet may never appear.
     *
     * @param qp handle
     */
    void destroyQp(long qp);

    /**
     * Posts a chain, {@code ibv_post_send(3)}. If a request fails, those before it are posted.
     *
     * @param qp handle
     * @param wr address of the first {@link SendWr}
     * @param badWr address of 8 bytes that on failure receive the address of the first request that was not posted
     * @return 0, or a negative errno: ENOMEM if the send queue is full, EINVAL for a bad request or state
     */
    int postSend(long qp, long wr, long badWr);

    /**
     * Posts a chain of {@link RecvWr}, {@code ibv_post_recv(3)}. Arguments and result are as for {@link #postSend}.
     *
     * @param qp handle
     * @param wr address
     * @param badWr address
     * @return 0 or a negative errno
     */
    int postRecv(long qp, long wr, long badWr);

    /**
     * Posts a chain of {@link RecvWr} to a shared receive queue, {@code ibv_post_srq_recv(3)}. Arguments and result are
     * as for {@link #postSend}.
     *
     * @param srq handle
     * @param wr address
     * @param badWr address
     * @return 0 or a negative errno
     */
    int postSrqRecv(long srq, long wr, long badWr);

    /**
     * Polls completions, {@code ibv_poll_cq(3)}.
     *
     * @param cq handle
     * @param numEntries largest number of completions
     * @param wc address of an array of {@link Wc}
     * @return number of completions written, 0 if the queue is empty, or a negative errno (the queue has overrun)
     */
    int pollCq(long cq, int numEntries, long wc);

    /**
     * Arms the queue for one event, {@code ibv_req_notify_cq(3)}. Poll once more afterwards.
     *
     * @param cq handle
     * @param solicitedOnly whether only solicited or failed completions cause the event
     * @return 0 or a negative errno
     */
    int reqNotifyCq(long cq, boolean solicitedOnly);

    /**
     * Waits until the channel has an event, {@code poll(2)} on its descriptor, or {@link #wakeCompChannel} is called.
     *
     * @param channel handle
     * @param timeoutMillis longest wait in milliseconds; 0 does not wait, -1 waits forever
     * @return true if an event is available, so that {@link #getCqEvent} would not block; {@code false} after a wake-up
     *     or time-out
     */
    boolean pollCompChannel(long channel, int timeoutMillis);

    /**
     * Ends the current {@link #pollCompChannel}, or the next one: one wake-up is remembered. Any thread.
     *
     * @param channel handle
     */
    void wakeCompChannel(long channel);

    /**
     * Takes one event, {@code ibv_get_cq_event(3)}. Blocks while there is none.
     *
     * @param channel handle
     * @return handle of the completion queue that the event is for
     */
    long getCqEvent(long channel);

    /**
     * Acknowledges events, {@code ibv_ack_cq_events(3)}.
     *
     * @param cq handle
     * @param events number of events
     */
    void ackCqEvents(long cq, int events);

    /**
     * Waits until a context has an asynchronous event, {@code poll(2)} on its {@code async_fd}, or
     * {@link #wakeAsyncEvents} is called.
     *
     * @param context handle; must not be closed while a thread waits here
     * @param timeoutMillis longest wait in milliseconds; 0 does not wait, -1 waits forever
     * @return true if an event is available, {@code false} after a wake-up or time-out
     */
    boolean pollAsyncEvents(long context, int timeoutMillis);

    /**
     * Ends the current {@link #pollAsyncEvents}, or the next one: one wake-up is remembered. Any thread.
     *
     * @param context handle
     */
    void wakeAsyncEvents(long context);

    /**
     * Takes and acknowledges one asynchronous event, {@code ibv_get_async_event(3)} and {@code ibv_ack_async_event(3)}.
     * Does not block.
     *
     * @param context handle
     * @return a copy of the event, or null if there is none
     */
    @Nullable
    AsyncEventEntry getAsyncEvent(long context);

    /**
     * Returns the calls for memory windows.
     *
     * @return the calls
     */
    default MemoryWindowVerbs windows() {
        throw new VerbsException("ibv_alloc_mw", Errno.EOPNOTSUPP, "This device does not support memory windows");
    }

    /**
     * Returns the calls for extended reliable connections.
     *
     * @return the calls
     */
    default XrcVerbs xrc() {
        throw new VerbsException(
                "ibv_open_xrcd", Errno.EOPNOTSUPP, "This device does not support extended reliable connections (XRC)");
    }

    /**
     * Returns the extended interfaces of posting and polling.
     *
     * @return the calls
     */
    default ExtendedVerbs extended() {
        throw new VerbsException(
                "ibv_create_qp_ex", Errno.EOPNOTSUPP, "This device supports the classic interface only");
    }

    /**
     * Returns the calls for kinds of memory, and for resizing completion queues.
     *
     * @return the calls; a device that lacks one fails with EOPNOTSUPP
     */
    default MemoryVerbs memory() {
        return new MemoryVerbs() {};
    }

    /**
     * Returns the calls that many providers lack.
     *
     * @return the calls; a device that lacks one fails with EOPNOTSUPP
     */
    default OptionalVerbs optional() {
        return new OptionalVerbs() {};
    }

    /**
     * Returns the connection manager that belongs to this instance. Its handles of contexts, domains, completion queues
     * and queue pairs are those of this instance.
     *
     * @return the calls
     */
    default Rdmacm rdmacm() {
        throw new VerbsException(
                "rdma_create_event_channel", Errno.EOPNOTSUPP, "This device has no connection manager");
    }

    /**
     * Returns the clock, threads and randomness for this device and for the connections on it.
     *
     * @return that of the JVM, unless the device was made with another
     */
    default Environment environment() {
        return Environment.SYSTEM;
    }

    /**
     * Returns whether the devices here are the embedded software device.
     *
     * @return false for those of libibverbs
     */
    default boolean isSoftware() {
        return false;
    }
}
