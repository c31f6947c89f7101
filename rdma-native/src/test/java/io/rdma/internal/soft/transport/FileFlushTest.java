package io.rdma.internal.soft.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.environment.Environment;
import io.rdma.internal.soft.objects.Access;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** FLUSH for persistence on a disk that is as slow as the test wants. */
class FileFlushTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Semaphore disk = new Semaphore(0);
    private final AtomicInteger begun = new AtomicInteger();
    private volatile boolean works = true;
    private final FileFlush flush = new FileFlush(Environment.SYSTEM, (address, bytes) -> {
        begun.incrementAndGet();
        disk.acquireUninterruptibly();
        return works;
    });

    @AfterEach
    void release() {
        disk.release(100);
    }

    private Access ask(int psn) {
        return flush.ask(psn, 4096, 64);
    }

    private void awaitEnd(int psn, Access end) {
        await().atMost(PATIENCE).until(() -> ask(psn) == end);
    }

    @Test
    void aRequestIsRepeatedUntilItsMemoryIsWritten() {
        for (int i = 0; i < 10; i++) {
            assertThat(ask(1)).isEqualTo(Access.PAGE_FAULT);
        }
        disk.release();
        awaitEnd(1, Access.DONE);
        assertThat(begun).hasValue(1);
        assertThat(ask(2)).as("the next one").isEqualTo(Access.PAGE_FAULT);
        disk.release();
        awaitEnd(2, Access.DONE);
        assertThat(begun).hasValue(2);
    }

    @Test
    void aFailureOfTheDiskIsOneOfTheRequest() {
        works = false;
        ask(1);
        disk.release();
        awaitEnd(1, Access.REFUSED);
    }

    @Test
    void anotherRequestHasNoThreadOfItsOwnMeanwhileNorItsEnd() {
        ask(1);
        assertThat(flush.ask(1, 8192, 64)).isEqualTo(Access.PAGE_FAULT);
        assertThat(flush.ask(2, 4096, 64)).isEqualTo(Access.PAGE_FAULT);
        disk.release();
        await().atMost(PATIENCE).until(() -> {
            assertThat(ask(2)).isEqualTo(Access.PAGE_FAULT);
            return begun.get() == 2;
        });
    }

    @Test
    void whatBeganBeforeAResetTellsNothingAfterIt() {
        ask(1);
        flush.reset();
        disk.release();
        await().atMost(PATIENCE).until(() -> {
            assertThat(ask(1)).isEqualTo(Access.PAGE_FAULT);
            return begun.get() == 2;
        });
        disk.release();
        awaitEnd(1, Access.DONE);
    }

    /** RNR timers 12 to 31 grow from 0.64 to 492 ms; 0 is 655 ms. */
    @Test
    void theTimerGrowsWithTheBytesAndTheWait() {
        ask(1);
        assertThat(flush.rnrTimer(64)).isEqualTo(12);
        assertThat(flush.rnrTimer(1 << 20)).isEqualTo(12);
        assertThat(flush.rnrTimer(1 << 24)).isEqualTo(20);
        assertThat(flush.rnrTimer(1L << 40)).isZero();
        ask(1);
        assertThat(flush.rnrTimer(64)).isEqualTo(16);
        for (int i = 0; i < 4; i++) {
            ask(1);
        }
        assertThat(flush.rnrTimer(64)).isZero();
    }
}
