package io.rdma.internal.soft;

import io.rdma.internal.ffi.OptionalVerbs;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.soft.device.SoftDevice;
import io.rdma.internal.soft.objects.Pacer;
import io.rdma.internal.soft.objects.SoftContext;
import io.rdma.internal.soft.objects.SoftCq;
import io.rdma.internal.soft.objects.SoftLimits;
import io.rdma.internal.soft.objects.SoftMr;
import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.objects.SoftTd;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;

/** Implementation of {@link OptionalVerbs} by the software device. */
final class SoftOptional implements OptionalVerbs {
    private static final long NANOS_PER_MICRO = 1000;

    private final SoftVerbs verbs;

    SoftOptional(SoftVerbs verbs) {
        this.verbs = verbs;
    }

    @Override
    public void modifyCq(long cq, int count, int period) {
        verbs.object("ibv_modify_cq", cq, SoftCq.class).moderate(count, period * NANOS_PER_MICRO);
    }

    @Override
    public long queryRawClock(long context) {
        verbs.object("ibv_query_rt_values_ex", context, SoftContext.class);
        return verbs.environment().nanoTime(); // as the timestamps of completions
    }

    @Override
    public void modifyQpRateLimit(long qp, int rate, int burst, int typicalPacket) {
        String call = "ibv_modify_qp_rate_limit";
        SoftQp object = verbs.object(call, qp, SoftQp.class);
        verbs.require(call, verbs.personality().limitsRates(), "rate limits");
        object.device.call(() -> {
            if (object.state != Ibv.QPS_RTS || object.xrcd != null) {
                throw new VerbsException(call, Errno.EINVAL, "Only a queue pair that sends, in RTS, has a rate");
            }
            if (rate != 0 && SoftLimits.outside(rate - Pacer.LOWEST_RATE, Pacer.HIGHEST_RATE - Pacer.LOWEST_RATE)) {
                throw new VerbsException(
                        call,
                        Errno.EINVAL,
                        "Rates are from " + Pacer.LOWEST_RATE + " to " + Pacer.HIGHEST_RATE + " kbit/s, not " + rate);
            }
            int least = object.mtu + Pacer.HEADERS;
            if (burst != 0 && burst < least) {
                throw new VerbsException(
                        call, Errno.EINVAL, "A burst holds at least a packet, " + least + " bytes here, not " + burst);
            }
            object.pacer.limit(rate, burst, object.mtu, verbs.environment().nanoTime());
            object.device.runnable(object);
            return 0;
        });
    }

    @Override
    public Mr allocNullMr(long pd) {
        synchronized (verbs) {
            SoftPd owner = verbs.object("ibv_alloc_null_mr", pd, SoftPd.class);
            SoftDevice on = verbs.device();
            SoftMr mr = on.call(() -> {
                SoftMr made = SoftMr.nothing(owner, on.keys().fresh());
                on.keys().add(made);
                return made;
            });
            owner.users++;
            return new Mr(verbs.handles.add(mr), mr.key, mr.key);
        }
    }

    @Override
    public long allocTd(long context) {
        synchronized (verbs) {
            SoftContext owner = verbs.object("ibv_alloc_td", context, SoftContext.class);
            owner.users++;
            return verbs.handles.add(new SoftTd(owner));
        }
    }

    @Override
    public void deallocTd(long td) {
        synchronized (verbs) {
            SoftTd object = verbs.object("ibv_dealloc_td", td, SoftTd.class);
            verbs.release("ibv_dealloc_td", object);
            object.context.users--;
        }
    }
}
