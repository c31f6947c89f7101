package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.engine.ResourceOptions;
import io.rdma.testing.TestDevice;
import io.rdma.types.RdmaException;
import io.rdma.verbs.FaultyDevice;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Devices that users share: their opening, its failure, their failure, their end. */
class SharedDevicesTest {
    private static final int USERS = 16;
    private static final Duration LONG = Duration.ofDays(1);

    private final FaultyDevice faults = new FaultyDevice();
    private final AtomicInteger opens = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final SharedDevices shared = new SharedDevices(this::device, LONG);

    private RdmaDevice device(@Nullable String name) {
        opens.incrementAndGet();
        return faults.device();
    }

    @AfterEach
    void close() {
        shared.closeAll();
        threads.close();
    }

    /** Has several threads begin to use a device at once. */
    private List<Future<SharedUse>> together(SharedDevices devices) {
        CyclicBarrier begin = new CyclicBarrier(USERS);
        List<Future<SharedUse>> uses = new ArrayList<>();
        for (int i = 0; i < USERS; i++) {
            uses.add(threads.submit(() -> {
                begin.await();
                return devices.use("soft0", true);
            }));
        }
        return uses;
    }

    @Test
    void usersThatComeTogetherShareOneDeviceAndHaveDomainsOfTheirOwn() throws Exception {
        Set<Object> contexts = new HashSet<>();
        Set<Object> domains = new HashSet<>();
        for (Future<SharedUse> use : together(shared)) {
            contexts.add(use.get().resources().context());
            domains.add(use.get().resources().domain());
        }
        assertThat(contexts).hasSize(1);
        assertThat(domains).hasSize(USERS);
        assertThat(opens).hasValue(1);
    }

    @Test
    void usersWithoutADomainOfTheirOwnShareTheCommonOne() {
        SharedUse one = shared.use("soft0", false);
        SharedUse other = shared.use("soft0", false);
        assertThat(one.resources().domain()).isSameAs(other.resources().domain());
    }

    @Test
    void theDefaultDeviceIsThatOfItsName() {
        SharedUse byDefault = shared.use(null, true);
        SharedUse byName = shared.use("soft0", true);
        assertThat(byName.resources().context()).isSameAs(byDefault.resources().context());
        assertThat(shared.use(null, true).resources().context())
                .isSameAs(byDefault.resources().context());
        assertThat(shared.open()).hasSize(1);
    }

    @Test
    void devicesOfTwoNamesAreTwo() {
        SharedUse one = shared.use("one", true);
        SharedUse two = shared.use("two", true);
        assertThat(two.resources().context()).isNotSameAs(one.resources().context());
        assertThat(shared.open()).hasSize(2);
    }

    /** All wait for the one attempt. A second attempt would succeed, because the fault strikes once. */
    @Test
    void allThatWaitForAnOpenThatFailsGetItsFailureAndTheNextUserTriesAgain() throws Exception {
        CountDownLatch found = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        SharedDevices devices = new SharedDevices(
                name -> {
                    found.countDown();
                    join(goOn);
                    return faults.device();
                },
                LONG);
        Error refusal = new InternalError("a test's");
        faults.nextThrows.put("openDevice", refusal);
        Future<SharedUse> first = threads.submit(() -> devices.use("soft0", true));
        join(found);
        List<Thread> waiting = new ArrayList<>();
        List<CompletableFuture<Throwable>> failures = new ArrayList<>();
        for (int i = 0; i < USERS; i++) {
            CompletableFuture<Throwable> failure = new CompletableFuture<>();
            failures.add(failure);
            waiting.add(Thread.ofPlatform().start(() -> {
                try {
                    devices.use("soft0", true).close();
                    failure.complete(null);
                } catch (Throwable e) {
                    failure.complete(e);
                }
            }));
        }
        awaiting("all wait")
                .until(() -> waiting.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
        goOn.countDown();
        assertThatThrownBy(first::get).hasCause(refusal);
        for (CompletableFuture<Throwable> failure : failures) {
            assertThat(failure.get(60, TimeUnit.SECONDS)).isSameAs(refusal);
        }
        try (SharedUse works = devices.use("soft0", true)) {
            assertThat(works.resources().context().isClosed()).isFalse();
        }
        devices.closeAll();
    }

    private static ConditionFactory awaiting(String condition) {
        return Awaitility.await(condition).atMost(Duration.ofSeconds(60));
    }

    private static void join(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aUserForWhoseDomainThereIsNoMemoryLeaves() {
        SharedDevices devices = new SharedDevices(this::device, Duration.ZERO);
        SharedUse first = devices.use("soft0", true);
        Error refusal = new InternalError("a test's");
        faults.nextThrows.put("allocPd", refusal);
        assertThatThrownBy(() -> devices.use("soft0", true)).isSameAs(refusal);
        first.close();
        TestDevice.awaitClosed(first.resources().context());
    }

    @Test
    void aDeviceIsKeptAfterItsLastUserAndThenCloses() {
        SharedUse kept = shared.use("soft0", true);
        kept.close();
        assertThat(kept.resources().context().isClosed()).isFalse();
        assertThat(shared.use("soft0", true).resources().context())
                .isSameAs(kept.resources().context());

        SharedDevices brief = new SharedDevices(this::device, Duration.ofMillis(1));
        SharedUse one = brief.use("soft0", true);
        SharedUse other = brief.use("soft0", true);
        one.close();
        one.close(); // does not count twice
        assertThat(brief.open()).hasSize(1);
        other.close();
        TestDevice.awaitClosed(other.resources().context());
        assertThat(brief.open()).isEmpty();
    }

    @Test
    void aDeviceWhoseLoopFailedIsReplacedAndClosesAfterItsLastUser() {
        SharedUse one = shared.use("soft0", true);
        SharedUse other = shared.use("soft0", true);
        one.resources().loops().getFirst().fail(new RdmaException("a test's"));
        awaiting("the loop is dead")
                .until(() -> one.resources().loops().getFirst().failure() != null);
        SharedUse next = shared.use("soft0", true);
        assertThat(next.resources().context()).isNotSameAs(one.resources().context());
        assertThat(next.resources().roomiestLoop().failure()).isNull();
        one.close();
        assertThat(other.resources().context().isClosed()).isFalse();
        other.close();
        TestDevice.awaitClosed(other.resources().context());
        assertThat(shared.open()).hasSize(1);
    }

    @Test
    void closingAllClosesAFailedDeviceThatHasUsers() {
        SharedUse failed = shared.use("soft0", true);
        failed.resources().loops().getFirst().fail(new RdmaException("a test's"));
        awaiting("the loop is dead")
                .until(() -> failed.resources().loops().getFirst().failure() != null);
        SharedUse next = shared.use("soft0", true);
        shared.closeAll();
        TestDevice.awaitClosed(failed.resources().context());
        TestDevice.awaitClosed(next.resources().context());
    }

    @Test
    void aDeviceThatFailsWhileNobodyUsesItIsReplaced() {
        SharedUse kept = shared.use("soft0", true);
        kept.close();
        kept.resources().loops().getFirst().fail(new RdmaException("a test's"));
        awaiting("the loop is dead")
                .until(() -> kept.resources().loops().getFirst().failure() != null);
        assertThat(shared.use("soft0", true).resources().context())
                .isNotSameAs(kept.resources().context());
        TestDevice.awaitClosed(kept.resources().context());
    }

    /** The application closes what {@code SharedResources.open} gave it. */
    @Test
    void resourcesThatTheApplicationClosedAreReplaced() {
        SharedUse one = shared.use("soft0", true);
        shared.open().getFirst().close();
        TestDevice.awaitClosed(one.resources().context());
        assertThat(shared.use("soft0", true).resources().context())
                .isNotSameAs(one.resources().context());
        one.close();
    }

    @Test
    void closingAllEndsTheDomainsOfUsersThatHaveNotLeft() {
        SharedUse use = shared.use("soft0", true);
        shared.closeAll();
        TestDevice.awaitClosed(use.resources().context());
        assertThatThrownBy(() -> use.resources().begin(() -> {}))
                .isExactlyInstanceOf(RdmaException.class)
                .hasMessageContaining("connect or bind again");
        use.close();
        assertThat(shared.use("soft0", true).resources().context())
                .isNotSameAs(use.resources().context());
    }

    /** Runs a task on a loop, and returns what it throws, or null. */
    private static @Nullable Throwable thrownOnALoop(SharedUse use, Runnable task) {
        CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
        use.resources().loops().getFirst().execute(() -> {
            try {
                task.run();
                end.complete(null);
            } catch (Throwable e) {
                end.complete(e);
            }
        });
        return end.orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** The close would wait for the loop, so another thread closes the device. */
    @Test
    void theLastUserOfAFailedDeviceMayLeaveOnALoop() {
        SharedUse last = shared.use("soft0", true);
        last.resources().companionFailed();
        assertThat(thrownOnALoop(last, last::close)).isNull();
        TestDevice.awaitClosed(last.resources().context());
    }

    @Test
    void closingAllClosesADeviceThatNoThreadCouldClose() {
        SharedUse last = shared.use("soft0", true);
        last.resources().companionFailed();
        Error refusal = new InternalError("a test's");
        faults.nextThrows.put("environment", refusal); // which starts the thread
        assertThat(thrownOnALoop(last, last::close)).isSameAs(refusal);
        assertThat(last.resources().context().isClosed()).isFalse();
        shared.closeAll();
        TestDevice.awaitClosed(last.resources().context());
    }

    /** A loop would wait for itself. */
    @Test
    void closingAllOnALoopChangesNothing() {
        SharedUse use = shared.use("soft0", true);
        assertThat(thrownOnALoop(use, shared::closeAll))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("another thread");
        assertThat(shared.use("soft0", true).resources().context())
                .isSameAs(use.resources().context());
        shared.closeAll();
        TestDevice.awaitClosed(use.resources().context());
    }

    @Test
    void closingAllAwaitsADeviceThatAnotherThreadCloses() throws Exception {
        SharedUse failed = shared.use("soft0", true);
        failed.resources().companionFailed();
        CountDownLatch closing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        faults.nextRuns.put("closeDevice", () -> {
            closing.countDown();
            join(goOn);
        });
        Future<?> leaving = threads.submit(failed::close); // the last user closes the device
        join(closing);
        Thread all = Thread.ofPlatform().start(shared::closeAll);
        awaiting("it waits").until(() -> all.getState() == Thread.State.WAITING);
        goOn.countDown();
        all.join();
        assertThat(failed.resources().context().isClosed()).isTrue();
        leaving.get();
    }

    @Test
    void aDeviceWhoseCompanionFailedIsReplacedAndClosesAfterItsLastUser() {
        SharedUse one = shared.use("soft0", true);
        one.resources().companionFailed();
        assertThat(shared.use("soft0", true).resources().context())
                .isNotSameAs(one.resources().context());
        assertThat(one.resources().context().isClosed()).isFalse();
        one.close();
        TestDevice.awaitClosed(one.resources().context());
    }

    @Test
    void closingAllAwaitsADeviceThatIsBeingOpened() throws Exception {
        CountDownLatch found = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        SharedDevices devices = new SharedDevices(
                name -> {
                    found.countDown();
                    join(goOn);
                    return faults.device();
                },
                LONG);
        Future<Throwable> opening = threads.submit(() -> {
            try {
                SharedUse use = devices.use("soft0", true);
                TestDevice.awaitClosed(use.resources().context());
                return null;
            } catch (RdmaException e) { // it came to its domain later
                return e;
            }
        });
        join(found);
        Thread closing = Thread.ofPlatform().start(devices::closeAll);
        awaiting("the close waits").until(() -> closing.getState() == Thread.State.WAITING);
        goOn.countDown();
        closing.join();
        opening.get(60, TimeUnit.SECONDS);
        assertThat(devices.open()).isEmpty();
    }

    @Test
    void optionsAreThoseConfiguredAndDoNotChangeWhileADeviceIsOpen() {
        shared.configure(ResourceOptions.DEFAULT.withLoops(3));
        assertThat(shared.use("soft0", true).resources().loops()).hasSize(3);
        assertThatThrownBy(() -> shared.configure(ResourceOptions.DEFAULT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closeAll()");
        shared.closeAll();
        shared.configure(ResourceOptions.DEFAULT.withLoops(2));
        assertThat(shared.use("soft0", true).resources().loops()).hasSize(2);
    }

    @Test
    void sharedReceiveBuffersAreRefused() {
        ResourceOptions options = ResourceOptions.DEFAULT.withSharedReceiveBuffers(64, 1024);
        assertThatThrownBy(() -> shared.configure(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("RdmaResources.open");
    }

    @Test
    void aPropertyThatIsWrongIsNamed() {
        System.setProperty(SharedDevices.LOOPS, "many");
        try {
            assertThatThrownBy(() -> shared.use("soft0", true))
                    .isInstanceOf(RdmaException.class)
                    .hasMessageContaining(SharedDevices.LOOPS);
        } finally {
            System.clearProperty(SharedDevices.LOOPS);
        }
        assertThat(shared.use("soft0", true).resources().loops()).isNotEmpty();
    }

    @Test
    void theProcessFindsDevicesByName() {
        try (SharedUse use = SharedDevices.PROCESS.use("soft0", true)) {
            assertThat(use.resources().context().name())
                    .isEqualTo(RdmaDevices.named("soft0").name());
        }
        SharedDevices.PROCESS.closeAll();
    }
}
