package io.rdma.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.engine.IdleStrategy;
import io.rdma.environment.Environment;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IdlingTest {
    @Test
    void adaptiveWaitingSleepsAtOnceWhereThereIsASingleProcessor() {
        assertThat(new Idling(IdleStrategy.ADAPTIVE, 1, Environment.SYSTEM).shouldSleep())
                .isTrue();
        assertThat(new Idling(IdleStrategy.ADAPTIVE, 2, Environment.SYSTEM).shouldSleep())
                .isFalse();
    }

    @Test
    void adaptiveWaitingGivesUpPolling() {
        Idling idling = new Idling(IdleStrategy.ADAPTIVE, 2, Environment.SYSTEM);
        assertThat(IntStream.iterate(0, i -> i + 1).anyMatch(turn -> idling.shouldSleep()))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = IdleStrategy.class,
            names = {"BUSY_SPIN", "BACK_OFF"})
    void pollingStrategiesPollOnASingleProcessorToo(IdleStrategy strategy) {
        assertThat(new Idling(strategy, 1, Environment.SYSTEM).shouldSleep()).isFalse();
    }

    /** Checks that no strategy but the adaptive one reads the clock, which is a system call on some machines. */
    @ParameterizedTest
    @EnumSource(IdleStrategy.class)
    void onlyTheAdaptiveStrategyMeasuresSleeps(IdleStrategy strategy) {
        AtomicInteger reads = new AtomicInteger();
        Environment counting = (Environment) Proxy.newProxyInstance(
                Environment.class.getClassLoader(), new Class<?>[] {Environment.class}, (proxy, method, arguments) -> {
                    reads.incrementAndGet();
                    return method.invoke(Environment.SYSTEM, arguments);
                });
        Idling idling = new Idling(strategy, 2, counting);
        idling.fallsAsleep();
        idling.wokeUp();
        assertThat(reads).hasValue(strategy == IdleStrategy.ADAPTIVE ? 2 : 0);
        Idling single = new Idling(strategy, 1, counting);
        single.fallsAsleep();
        single.wokeUp();
        assertThat(reads).hasValue(strategy == IdleStrategy.ADAPTIVE ? 2 : 0);
    }
}
