package io.rdma.samples.bench.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RepeatedTest {
    private static final int AT_ONCE = 3;

    private final ExecutorService server = Executors.newSingleThreadExecutor();
    private final AtomicInteger inProgress = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    @AfterEach
    void close() {
        server.close();
    }

    /** Returns a load whose requests another thread answers. */
    private Load answeredWith(@Nullable Throwable answer) {
        return new Load() {
            @Override
            public void send(Consumer<@Nullable Throwable> ended) {
                most.accumulateAndGet(inProgress.incrementAndGet(), Math::max);
                server.execute(() -> {
                    inProgress.decrementAndGet();
                    ended.accept(answer);
                });
            }

            @Override
            public long allocatedByServer() {
                return 0;
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void eachRequesterSendsOneRequestIfNoTimeIsLeftForASecond() throws Exception {
        Repeated repeated = new Repeated(answeredWith(null), AT_ONCE);
        repeated.run(0);
        assertThat(repeated.count()).isEqualTo(AT_ONCE);
        assertThat(repeated.times().getTotalCount()).isEqualTo(AT_ONCE);
    }

    @Test
    void requestsFollowEachOtherUntilTheTimeIsOver() throws Exception {
        Repeated repeated = new Repeated(answeredWith(null), AT_ONCE);
        assertThat(repeated.run(200_000_000)).isGreaterThanOrEqualTo(200_000_000);
        assertThat(repeated.count()).isGreaterThan(AT_ONCE);
        assertThat(repeated.times().getTotalCount()).isEqualTo(repeated.count());
        assertThat(most.get()).isBetween(1, AT_ONCE);
        assertThat(inProgress.get()).isZero();
    }

    @Test
    void aRequestThatFailsEndsTheRun() {
        IOException wrong = new IOException("wrong");
        assertThatThrownBy(() -> new Repeated(answeredWith(wrong), AT_ONCE).run(60_000_000_000L))
                .hasMessage("a request failed")
                .hasCause(wrong);
    }
}
