package io.rdma.reactive.pool;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Servers and pools on the device of the subclass, in virtual time. Each test ends with nothing left. */
abstract class PooledContract {
    final VirtualTimeScheduler time = VirtualTimeScheduler.getOrSet();
    PoolFixture fixture;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void open() {
        fixture = new PoolFixture(device());
    }

    @AfterEach
    void nothingIsLeft() {
        try {
            if (fixture != null) {
                fixture.close();
            }
        } finally {
            VirtualTimeScheduler.reset();
        }
    }
}
