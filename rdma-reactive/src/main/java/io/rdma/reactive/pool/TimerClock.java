package io.rdma.reactive.pool;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.Scheduler;

/** Clock of a scheduler, which is virtual where the time of the scheduler is. */
final class TimerClock extends Clock {
    private final Scheduler timer;

    TimerClock(Scheduler timer) {
        this.timer = timer;
    }

    @Override
    public long millis() {
        return timer.now(TimeUnit.MILLISECONDS);
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this; // nothing here depends on the zone
    }
}
