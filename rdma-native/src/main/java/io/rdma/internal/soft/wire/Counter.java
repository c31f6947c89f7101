package io.rdma.internal.soft.wire;

import java.util.Locale;

/** Counters of a device: those of rdma_rxe by their names, then the reasons for dropped packets. */
public enum Counter {
    SENT_PKTS,
    RCVD_PKTS,
    /** Duplicate requests, which were answered again or ignored. */
    DUPLICATE_REQUEST,
    /** Requests ahead of the expected PSN: a packet was lost or overtaken. */
    OUT_OF_SEQ_REQUEST,
    /** RNR NAKs received: the peer had no receive posted. */
    RCVD_RNR_ERR,
    /** RNR NAKs sent: no receive was posted here. */
    SEND_RNR_ERR,
    /** Sequence error NAKs received: the peer missed a packet. */
    RCVD_SEQ_ERR,
    /** Acknowledgements that were merged into a later one. */
    ACK_DEFERRED,
    RETRY_EXCEEDED_ERR,
    RETRY_RNR_EXCEEDED_ERR,
    /** Rewinds to the oldest unacknowledged request. */
    COMPLETER_RETRY_ERR,
    /** Datagrams that the kernel refused to send. */
    SEND_ERR,
    /** Always 0: the link of a software device is a socket. */
    LINK_DOWNED,
    /** Packets sent in memory that is shared with a process of this host, instead of by UDP. */
    RING_PKTS,
    RDMA_SENDS,
    RDMA_RECVS,
    /** Datagrams that are not packets, or have an unsupported opcode or partition. */
    MALFORMED_PKTS,
    ICRC_ERR,
    /** Packets for a queue pair that does not exist. */
    UNKNOWN_QP_PKTS,
    /** Packets from another device than the queue pair's peer. */
    WRONG_PEER_PKTS,
    /** Datagrams with a wrong QKey. */
    QKEY_ERR,
    /** Packets of unreliable transports without a posted receive, or of a message with a missing or invalid packet. */
    LOST_PKTS,
    /** Accesses to on-demand memory that found a page missing. */
    PAGE_FAULTS,
    /** Pages of on-demand memory that were taken away from the device. */
    PAGE_INVALIDATIONS,
    /** Ranges of on-demand memory that the application had brought into memory, {@code ibv_advise_mr(3)}. */
    PAGE_PREFETCH,
    /** FLUSHes for persistence whose memory was written to its file. */
    FILE_SYNCS;

    /** Returns the name that {@code rdma statistic} prints. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
