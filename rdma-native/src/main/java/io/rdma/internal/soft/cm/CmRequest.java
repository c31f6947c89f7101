package io.rdma.internal.soft.cm;

import io.rdma.internal.ibv.Ibv;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The message REQ, IB specification volume 1, 12.6.5: the request for a connection. Fields for alternate paths and
 * reliable datagrams are not read.
 *
 * @param localId see {@link CmMad}
 * @param service service ID to connect to
 * @param guid GUID of the sender's device
 * @param qpn queue pair number of the sender
 * @param responderResources number of incoming reads and atomics of the sender
 * @param initiatorDepth number of outgoing reads and atomics of the sender
 * @param peerTimeout time until the receiver answers, as the exponent of 4.096 µs · 2ⁿ
 * @param transport transport type, see {@link #transport(boolean)}
 * @param flowControl whether the sender has end-to-end flow control
 * @param psn first PSN that the receiver of this message is to use
 * @param ownTimeout time until the sender answers a reply, as the same exponent
 * @param retryCount retry count for the receiver's queue pair
 * @param mtu {@code IBV_MTU_*} of the path
 * @param rnrRetryCount RNR retry count for the receiver's queue pair
 * @param maxRetries number of times that the receiver may repeat a message
 * @param srq whether the sender has a shared receive queue
 * @param localGid GID of the sender
 * @param remoteGid GID of the receiver
 * @param trafficClass traffic class of the path
 * @param hopLimit hop limit of the path
 * @param ackTimeout acknowledgement timeout for the receiver's queue pair
 * @param privateData {@link #PRIVATE_DATA} bytes
 */
@SuppressWarnings("ArrayRecordComponent")
public record CmRequest(
        int localId,
        long service,
        long guid,
        int qpn,
        int responderResources,
        int initiatorDepth,
        int peerTimeout,
        int transport,
        boolean flowControl,
        int psn,
        int ownTimeout,
        int retryCount,
        int mtu,
        int rnrRetryCount,
        int maxRetries,
        boolean srq,
        byte[] localGid,
        byte[] remoteGid,
        int trafficClass,
        int hopLimit,
        int ackTimeout,
        byte[] privateData)
        implements CmMad {
    static final int ATTRIBUTE = 0x10;
    public static final int PRIVATE_DATA = 92;
    static final int TRANSPORT_RC = 0;
    private static final int TRANSPORT_RD = 2;
    private static final int PRIVATE_AT = BYTES - PRIVATE_DATA;
    private static final int PKEY = 0xffff;
    private static final int LOCAL_GID_AT = 56;
    private static final int REMOTE_GID_AT = 72;

    @Override
    public int attribute() {
        return ATTRIBUTE;
    }

    @Override
    public int remoteId() {
        return 0;
    }

    /**
     * Returns the transport type of a device's requests. Those of iWARP's software devices are of reliable datagrams:
     * no device has these, so none but another of iWARP accepts the request.
     */
    static int transport(boolean iwarp) {
        return iwarp ? TRANSPORT_RD : TRANSPORT_RC;
    }

    /** Returns this request with the GID of the receiver. */
    CmRequest to(byte[] gid) {
        return new CmRequest(
                localId,
                service,
                guid,
                qpn,
                responderResources,
                initiatorDepth,
                peerTimeout,
                transport,
                flowControl,
                psn,
                ownTimeout,
                retryCount,
                mtu,
                rnrRetryCount,
                maxRetries,
                srq,
                localGid,
                gid,
                trafficClass,
                hopLimit,
                ackTimeout,
                privateData);
    }

    @Override
    public void write(ByteBuffer to) {
        to.putInt(0, localId).putLong(8, service).putLong(16, guid);
        to.putInt(32, qpn << 8 | responderResources);
        to.putInt(36, initiatorDepth);
        to.putInt(40, peerTimeout << 3 | transport << 1 | (flowControl ? 1 : 0));
        to.putInt(44, psn << 8 | ownTimeout << 3 | retryCount);
        to.putShort(48, (short) PKEY);
        to.put(50, (byte) (mtu << 4 | rnrRetryCount));
        to.put(51, (byte) (maxRetries << 4 | (srq ? 8 : 0)));
        to.putInt(52, -1); // permissive LIDs, since Ethernet has none
        to.put(LOCAL_GID_AT, localGid).put(REMOTE_GID_AT, remoteGid);
        to.put(92, (byte) trafficClass).put(93, (byte) hopLimit).put(95, (byte) (ackTimeout << 3));
        to.put(PRIVATE_AT, privateData);
    }

    /**
     * Reads a request.
     *
     * @return null if its MTU is invalid
     */
    static @Nullable CmRequest read(ByteBuffer from) {
        int mtu = (from.get(50) & 0xff) >>> 4;
        if (mtu < Ibv.MTU_256 || mtu > Ibv.MTU_4096) {
            return null;
        }
        int timeouts = from.getInt(40);
        int psn = from.getInt(44);
        return new CmRequest(
                from.getInt(0),
                from.getLong(8),
                from.getLong(16),
                from.getInt(32) >>> 8,
                from.get(35) & 0xff,
                from.get(39) & 0xff,
                timeouts >>> 3 & 31,
                timeouts >>> 1 & 3,
                (timeouts & 1) != 0,
                psn >>> 8,
                psn >>> 3 & 31,
                psn & 7,
                mtu,
                from.get(50) & 7,
                (from.get(51) & 0xff) >>> 4,
                (from.get(51) & 8) != 0,
                MadCodec.bytes(from, LOCAL_GID_AT, 16),
                MadCodec.bytes(from, REMOTE_GID_AT, 16),
                from.get(92) & 0xff,
                from.get(93) & 0xff,
                (from.get(95) & 0xff) >>> 3,
                MadCodec.bytes(from, PRIVATE_AT, PRIVATE_DATA));
    }
}
