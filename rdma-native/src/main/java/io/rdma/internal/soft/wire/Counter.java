package io.rdma.internal.soft.wire;

import java.util.Locale;

/** What a device counts: the names of rdma_rxe's hardware counters, then reasons for which packets are dropped. */
public enum Counter {
    SENT_PKTS,
    RCVD_PKTS,
    /** A request that came before was answered again, or ignored. */
    DUPLICATE_REQUEST,
    /** A request ahead of the expected one: something was lost or overtaken. */
    OUT_OF_SEQ_REQUEST,
    /** The peer had posted no receive. */
    RCVD_RNR_ERR,
    /** No receive was posted here. */
    SEND_RNR_ERR,
    /** The peer missed a packet. */
    RCVD_SEQ_ERR,
    /** One acknowledge stands for this packet's and for a later one's. */
    ACK_DEFERRED,
    RETRY_EXCEEDED_ERR,
    RETRY_RNR_EXCEEDED_ERR,
    /** Went back to the oldest request without an answer. */
    COMPLETER_RETRY_ERR,
    /** Datagrams that the system did not take. */
    SEND_ERR,
    /** Always 0: the link of a software device is a socket. */
    LINK_DOWNED,
    RDMA_SENDS,
    RDMA_RECVS,
    /** Datagrams that are no packets of the opcodes and the partition that exist here. */
    MALFORMED_PKTS,
    ICRC_ERR,
    /** Packets for a queue pair that does not exist. */
    UNKNOWN_QP_PKTS,
    /** Packets that did not come from the peer that the queue pair is connected to. */
    WRONG_PEER_PKTS,
    /** Datagrams with a wrong queue key. */
    QKEY_ERR,
    /**
     * Packets of unreliable transports that found no receive, or belong to a message of which a packet is missing or
     * may not be.
     */
    LOST_PKTS;

    /** As {@code rdma statistic} prints it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
