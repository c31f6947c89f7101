package io.rdma.soft;

import io.rdma.internal.soft.SoftVerbs;
import io.rdma.internal.soft.device.SoftFailure;
import io.rdma.internal.soft.link.SoftFaults;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;

/**
 * The network of this process's software device {@code soft0}: what its links do to packets, what it counted, and a
 * capture of what it sends and receives. Everything can be changed at any time, from any thread, with connections open;
 * what is set counts from the next packet on.
 *
 * <p>A link is what goes from this process to one device. Between queue pairs of this process that is its own address:
 * as long as any fault is set, their packets take the way through the socket as well, with all that may happen to them
 * there.
 */
public final class SoftNetwork {
    private static final SoftNetwork THIS_PROCESS = new SoftNetwork(SoftVerbs.shared());

    private final SoftVerbs verbs;

    private SoftNetwork(SoftVerbs verbs) {
        this.verbs = verbs;
    }

    /**
     * The network of this process's {@code soft0}, which need not be open.
     *
     * @return one instance
     */
    public static SoftNetwork ofThisProcess() {
        return THIS_PROCESS;
    }

    /**
     * Has all links but those with {@linkplain #setFaults(InetAddress, LinkFaults) faults of their own} be so bad. Each
     * link's decisions begin anew.
     *
     * @param faults {@link LinkFaults#NONE} for good links
     */
    public void setFaults(LinkFaults faults) {
        verbs.faults().setOthers(internal(faults));
    }

    /**
     * Has the links to all devices of an address be so bad.
     *
     * @param peer address of the other host, or this one's own
     * @param faults {@link LinkFaults#NONE} for a good link among bad ones
     */
    public void setFaults(InetAddress peer, LinkFaults faults) {
        verbs.faults().set(new InetSocketAddress(peer, 0), internal(faults));
    }

    /**
     * Has the link to one device be so bad, of several on one host.
     *
     * @param peer address and UDP port of the device, which its GID carries
     * @param faults {@link LinkFaults#NONE} for a good link among bad ones
     */
    public void setFaults(InetSocketAddress peer, LinkFaults faults) {
        verbs.faults().set(peer, internal(faults));
    }

    private static SoftFaults internal(LinkFaults faults) {
        return faults.equals(LinkFaults.NONE) ? SoftFaults.NONE : faults.toInternal();
    }

    /**
     * Nothing that this process sends arrives, until {@link #heal} or other faults. Peers in other processes still
     * send.
     */
    public void partition() {
        setFaults(LinkFaults.NONE.withPartitioned(true));
    }

    /** All links are good again. What was lost is sent again by whom it was asked to be reliable. */
    public void heal() {
        verbs.faults().clear();
    }

    /**
     * Breaks a queue pair: it goes to ERR, what it has posted is flushed, {@code IBV_EVENT_QP_FATAL}.
     *
     * @param number of a queue pair of {@code soft0}
     * @throws io.rdma.verbs.VerbsException EINVAL if there is none of that number, ENODEV if {@code soft0} is not open
     */
    public void failQueuePair(int number) {
        verbs.failQueuePair(number);
    }

    /**
     * Breaks all completion queues, as an overrun does: {@code IBV_EVENT_CQ_ERR}. Their queue pairs are lost.
     *
     * @throws io.rdma.verbs.VerbsException ENODEV if {@code soft0} is not open
     */
    public void failCompletionQueues() {
        verbs.fail(SoftFailure.COMPLETION_QUEUES);
    }

    /**
     * Breaks all shared receive queues: {@code IBV_EVENT_SRQ_ERR}. Their queue pairs are lost.
     *
     * @throws io.rdma.verbs.VerbsException ENODEV if {@code soft0} is not open
     */
    public void failSharedReceiveQueues() {
        verbs.fail(SoftFailure.SHARED_RECEIVE_QUEUES);
    }

    /**
     * Breaks all queue pairs: {@code IBV_EVENT_DEVICE_FATAL}. Unlike an adapter, {@code soft0} takes new ones
     * afterwards.
     *
     * @throws io.rdma.verbs.VerbsException ENODEV if {@code soft0} is not open
     */
    public void failDevice() {
        verbs.fail(SoftFailure.DEVICE);
    }

    /**
     * Takes the port's link down, {@code IBV_EVENT_PORT_ERR}, or brings it up, {@code IBV_EVENT_PORT_ACTIVE}. While it
     * is down nothing is sent to other processes or received from them; queue pairs of this process reach each other,
     * as those of an adapter do.
     *
     * @param up whether it is up, which it is when the device is opened
     * @throws io.rdma.verbs.VerbsException ENODEV if {@code soft0} is not open
     */
    public void setPort(boolean up) {
        verbs.fail(up ? SoftFailure.PORT_UP : SoftFailure.PORT_DOWN);
    }

    /**
     * Tells that the table of GIDs has changed, {@code IBV_EVENT_GID_CHANGE}, as when a network interface gets or loses
     * an address. The GID itself stays.
     *
     * @throws io.rdma.verbs.VerbsException ENODEV if {@code soft0} is not open
     */
    public void changeGids() {
        verbs.fail(SoftFailure.GIDS);
    }

    /**
     * What the device counted since it was opened. The names are those of {@code rdma statistic} for rdma_rxe ({@code
     * sent_pkts}, {@code rcvd_seq_err}, …), and for what it dropped {@code malformed_pkts}, {@code icrc_err},
     * {@code unknown_qp_pkts}, {@code wrong_peer_pkts}, {@code qkey_err}.
     *
     * @return a snapshot in a fixed order; all zero if {@code soft0} is not open
     */
    public Map<String, Long> counters() {
        return Collections.unmodifiableMap(verbs.counters());
    }

    /**
     * Writes all packets that the device sends and receives to a file in pcapng format, with IP and UDP headers made
     * up, until the result is closed, the device is closed, or another capture begins. The system property
     * {@code io.rdma.soft.capture} does so from the opening of the device on.
     *
     * @param file what is there is replaced
     * @return closes the file; close it before you read it
     * @throws java.io.UncheckedIOException if the file cannot be written
     * @throws io.rdma.verbs.VerbsException ENODEV if {@code soft0} is not open
     */
    public Capture capture(Path file) {
        verbs.captureTo(file);
        return () -> {
            if (verbs.address() != null) {
                verbs.captureTo(null);
            }
        };
    }

    /** A capture that goes on. */
    @FunctionalInterface
    public interface Capture extends AutoCloseable {
        /** Ends the capture; the file is complete then. */
        @Override
        void close();
    }
}
