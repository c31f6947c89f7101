package io.rdma.internal.close;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.types.RdmaException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Steps of one close, several of which throw. */
class CloseStepsTest {
    private final CloseSteps steps = new CloseSteps();
    private final AtomicInteger run = new AtomicInteger();

    private void fail(Throwable failure) {
        steps.run(() -> {
            run.incrementAndGet();
            throw failure;
        });
    }

    @Test
    void theFirstFailureHasTheOthersSuppressed() {
        Error first = new InternalError("a test's");
        Exception second = new IOException("a test's");
        fail(first);
        fail(second);
        fail(first);
        assertThat(run).hasValue(3);
        assertThat(steps.failure()).isSameAs(first);
        assertThatThrownBy(steps::report).isSameAs(first);
        assertThat(first.getSuppressed()).containsExactly(second);
    }

    @Test
    void aCheckedExceptionIsACause() {
        Exception first = new IOException("a test's");
        fail(first);
        assertThatThrownBy(steps::report).isInstanceOf(RdmaException.class).hasCause(first);
    }

    @Test
    void nothingIsReportedWhenEveryStepSucceeds() {
        steps.run(run::incrementAndGet).report();
        assertThat(run).hasValue(1);
        assertThat(steps.failure()).isNull();
    }
}
