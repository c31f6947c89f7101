package io.rdma.soft;

import io.rdma.internal.soft.SoftDevices;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.internal.soft.device.SoftFailure;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.link.SoftFaults;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;

/**
 * Network of a software device: the faults of its links, its counters, and a capture of the packets that it sends and
 * receives. Everything can be changed at any time, from any thread, with connections open. A change takes effect with
 * the next packet.
 *
 * <p>The device is {@code soft0}, which all users of this process share, or one that {@link #create} made. A link leads
 * from the device to one device. Between queue pairs of this device it leads to the device's own address. While any
 * fault is set, the packets between those queue pairs pass through the socket as well, where the same can happen to
 * them as to others.
 */
public final class SoftNetwork implements AutoCloseable {
    private static final SoftNetwork THIS_PROCESS = new SoftNetwork(SoftVerbs.shared());

    private final SoftVerbs verbs;

    private SoftNetwork(SoftVerbs verbs) {
        this.verbs = verbs;
    }

    /**
     * Returns the network of this process's {@code soft0}, which need not be open.
     *
     * @return one instance
     */
    public static SoftNetwork ofThisProcess() {
        return THIS_PROCESS;
    }

    /**
     * Makes a software device and returns its network. The device is on the loopback interface, at a UDP port of its
     * own, and not open. It is used by its {@link #device name}, wherever a device is named. It is no member of {@link
     * io.rdma.verbs.RdmaDevices#list}. It reaches the other software devices of this host, of this process and others.
     *
     * @return to be closed when the device is no longer used
     */
    public static SoftNetwork create() {
        return new SoftNetwork(SoftDevices.make());
    }

    /**
     * Makes a software device with two addresses, 127.0.0.1 and 127.0.0.2, and returns its network. It has a GID of
     * each. So a connection can have a second path, to which it migrates when the first one is lost:
     * {@link #setFaults(InetAddress, LinkFaults)} for one of the addresses loses that path. The second address carries
     * connected queue pairs only. Outside of Linux the host has to be given that address.
     *
     * @return to be closed when the device is no longer used
     */
    public static SoftNetwork createWithTwoAddresses() {
        return new SoftNetwork(SoftDevices.make(SoftConfig.twoOnLoopback()));
    }

    /**
     * Returns the name of the device, to be used with {@code RdmaDevices.named}, {@code RdmaClient.device} and so on.
     *
     * @return {@code soft0}, or the name of a device that was made, which no other device of this process has or had
     */
    public String device() {
        return verbs.name();
    }

    /**
     * Returns the number of objects of the device that are open, by their type in C: {@code ibv_context}, {@code
     * ibv_pd}, {@code ibv_mr}, {@code rdma_cm_id} and so on. The objects are those of the application and of this
     * library.
     *
     * @return a snapshot, without types of which no object is open
     */
    public Map<String, Integer> openObjects() {
        return Collections.unmodifiableMap(verbs.open());
    }

    /**
     * Ends the name of a device that was made. Objects of the device that are open remain so, and can be used. Does
     * nothing for {@code soft0}.
     */
    @Override
    public void close() {
        SoftDevices.forget(verbs);
    }

    /**
     * Sets the faults of all links except those with {@linkplain #setFaults(InetAddress, LinkFaults) faults of their
     * own}. The random decisions of each link start again.
     *
     * @param faults {@link LinkFaults#NONE} for good links
     */
    public void setFaults(LinkFaults faults) {
        verbs.faults().setOthers(internal(faults));
    }

    /**
     * Sets the faults of the links to all devices of an address.
     *
     * @param peer address of the other host, or the own address
     * @param faults {@link LinkFaults#NONE} for a good link among faulty ones
     */
    public void setFaults(InetAddress peer, LinkFaults faults) {
        verbs.faults().set(new InetSocketAddress(peer, 0), internal(faults));
    }

    /**
     * Sets the faults of the link to one of several devices on a host.
     *
     * @param peer address and UDP port of the device, which its GID contains
     * @param faults {@link LinkFaults#NONE} for a good link among faulty ones
     */
    public void setFaults(InetSocketAddress peer, LinkFaults faults) {
        verbs.faults().set(peer, internal(faults));
    }

    private static SoftFaults internal(LinkFaults faults) {
        return faults.equals(LinkFaults.NONE) ? SoftFaults.NONE : faults.toInternal();
    }

    /**
     * Loses all packets that the device sends, until {@link #heal} or other faults are set. Peers of other devices can
     * still send.
     */
    public void partition() {
        setFaults(LinkFaults.NONE.withPartitioned(true));
    }

    /** Makes all links good again. Reliable queue pairs send again the packets that were lost. */
    public void heal() {
        verbs.faults().clear();
    }

    /**
     * Breaks a queue pair: it goes to ERR, its outstanding work requests are flushed, {@code IBV_EVENT_QP_FATAL}.
     *
     * @param number of a queue pair of {@code soft0}
     * @throws io.rdma.types.VerbsException EINVAL if no queue pair has that number, ENODEV if {@code soft0} is not open
     */
    public void failQueuePair(int number) {
        verbs.failQueuePair(number);
    }

    /**
     * Breaks all completion queues, as an overrun does: {@code IBV_EVENT_CQ_ERR}. Their queue pairs are lost.
     *
     * @throws io.rdma.types.VerbsException ENODEV if {@code soft0} is not open
     */
    public void failCompletionQueues() {
        verbs.fail(SoftFailure.COMPLETION_QUEUES);
    }

    /**
     * Breaks all shared receive queues: {@code IBV_EVENT_SRQ_ERR}. Their queue pairs are lost.
     *
     * @throws io.rdma.types.VerbsException ENODEV if {@code soft0} is not open
     */
    public void failSharedReceiveQueues() {
        verbs.fail(SoftFailure.SHARED_RECEIVE_QUEUES);
    }

    /**
     * Breaks all queue pairs: {@code IBV_EVENT_DEVICE_FATAL}. Unlike an adapter, {@code soft0} then accepts new queue
     * pairs again.
     *
     * @throws io.rdma.types.VerbsException ENODEV if {@code soft0} is not open
     */
    public void failDevice() {
        verbs.fail(SoftFailure.DEVICE);
    }

    /**
     * Takes the port's link down, {@code IBV_EVENT_PORT_ERR}, or brings it up, {@code IBV_EVENT_PORT_ACTIVE}. While it
     * is down, no packets are sent to other devices or received from them. Queue pairs of this device still reach
     * each other, as those of an adapter do.
     *
     * @param up whether the link is up, as it is when the device is opened
     * @throws io.rdma.types.VerbsException ENODEV if {@code soft0} is not open
     */
    public void setPort(boolean up) {
        verbs.fail(up ? SoftFailure.PORT_UP : SoftFailure.PORT_DOWN);
    }

    /**
     * Reports that the GID table has changed, {@code IBV_EVENT_GID_CHANGE}, as when a network interface gets or loses
     * an address. The GID itself stays.
     *
     * @throws io.rdma.types.VerbsException ENODEV if {@code soft0} is not open
     */
    public void changeGids() {
        verbs.fail(SoftFailure.GIDS);
    }

    /**
     * Takes the pages of all on-demand regions away from the device, as a kernel that is short of memory does. The
     * next access to each page is a fault, which delays the packet. Other regions are not affected.
     *
     * @throws io.rdma.types.VerbsException ENODEV if the device is not open
     */
    public void evictPages() {
        verbs.fail(SoftFailure.PAGES);
    }

    /**
     * Returns the counters of the device since it was opened. The names are those of {@code rdma statistic} for
     * rdma_rxe ({@code sent_pkts}, {@code rcvd_seq_err}, …). Dropped packets are counted as {@code malformed_pkts},
     * {@code icrc_err}, {@code unknown_qp_pkts}, {@code wrong_peer_pkts}, {@code qkey_err}.
     *
     * @return a snapshot in a fixed order; all zero if {@code soft0} is not open
     */
    public Map<String, Long> counters() {
        return Collections.unmodifiableMap(verbs.counters());
    }

    /**
     * Writes all packets that the device sends and receives to a file in pcapng format, with synthetic IP and UDP
     * headers. It ends when the result is closed, the device is closed, or another capture begins. The system property
     * {@code io.rdma.soft.capture} starts a capture when the device is opened.
     *
     * @param file an existing file is replaced
     * @return the capture; close it before you read the file
     * @throws java.io.UncheckedIOException if the file cannot be written
     * @throws io.rdma.types.VerbsException ENODEV if {@code soft0} is not open
     */
    public Capture capture(Path file) {
        verbs.captureTo(file);
        return () -> {
            if (verbs.address() != null) {
                verbs.captureTo(null);
            }
        };
    }

    /** Capture in progress. */
    @FunctionalInterface
    public interface Capture extends AutoCloseable {
        /** Ends the capture and completes the file. */
        @Override
        void close();
    }
}
