package io.rdma.reactive.pool;

import io.rdma.connect.PoolMetrics;
import java.util.concurrent.atomic.LongAdder;
import reactor.pool.InstrumentedPool;

/** Counters of a pool of reactor-pool and of the connector below it. */
record ReactorPoolMetrics(InstrumentedPool.PoolMetrics pool, PoolConnector connector, LongAdder exhaustedAcquires)
        implements PoolMetrics {
    @Override
    public int active() {
        return pool.acquiredSize();
    }

    @Override
    public int idle() {
        return pool.idleSize();
    }

    @Override
    public int pending() {
        return pool.pendingAcquireSize();
    }

    @Override
    public int maxConnections() {
        return pool.getMaxAllocatedSize();
    }

    @Override
    public long opened() {
        return connector.opened.sum();
    }

    @Override
    public long failed() {
        return connector.failed.sum();
    }

    @Override
    public long exhausted() {
        return exhaustedAcquires.sum();
    }
}
