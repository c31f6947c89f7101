package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.Ibv.ACCESS_REMOTE_READ;

import io.rdma.internal.soft.objects.MemoryKeys;
import io.rdma.internal.soft.objects.OnDemandPaging;
import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.objects.SoftSrq;
import io.rdma.internal.soft.objects.SoftXrcd;
import io.rdma.internal.soft.wire.Packet;

/** The memory that a peer reads. Device thread. */
final class ReadSource {
    private ReadSource() {}

    /**
     * Returns the domain of a request. A repeated request to an XRC target names the queue of its own time, which need
     * not be the one that the target serves now.
     */
    static SoftPd domain(SoftQp qp, Packet request) {
        SoftXrcd domain = qp.xrcd;
        SoftSrq named = domain == null ? null : qp.device.sharedQueue(request.srqn);
        return domain == null || named == null || !domain.isSameAs(named.xrcd) ? qp.pd : named.pd;
    }

    /** Returns whether queue pair and key allow the whole read. */
    static boolean isAllowed(SoftQp qp, SoftPd pd, Packet p) {
        boolean allowed = (qp.attr.qpAccessFlags() & ACCESS_REMOTE_READ) != 0;
        MemoryKeys keys = qp.device.keys();
        return allowed
                && (p.length == 0 || keys.remote(qp, pd, p.rkey, p.remoteAddress, p.length, ACCESS_REMOTE_READ) != 0);
    }

    /**
     * Finds the memory for a packet of an answer.
     *
     * @return address; 0 if the region was deregistered since, or {@code OnDemandPaging.FAULT}: then the queue pair
     *     runs again
     */
    static long find(SoftQp qp, Packet packet, AnswerQueue.Job job, long offset, int bytes) {
        SoftPd pd = job.pd == null ? qp.pd : job.pd;
        MemoryKeys keys = qp.device.keys();
        long address = keys.remote(qp, pd, job.rkey, job.address + offset, bytes, ACCESS_REMOTE_READ);
        if (address < 0) {
            address = keys.paging().source(packet, job.rkey, address, bytes, job.length - offset);
            if (address == OnDemandPaging.FAULT) {
                qp.device.runnable(qp);
            } else {
                keys.paging().finished();
            }
        }
        return address;
    }
}
