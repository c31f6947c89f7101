package io.rdma.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.engine.IdleStrategy;
import io.rdma.engine.ResourceOptions;
import io.rdma.environment.Environment;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.os.Processors;
import io.rdma.internal.os.SixLongs;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.TestDevice;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Places of loops: the interrupts of their completion queues, and the processors of their threads. */
abstract class LoopPlaceContract {
    private static final int PATIENCE_SECONDS = 60;
    private static final int NO_PROCESSOR = 8191;

    /** Returns the name of the device. */
    abstract String device();

    private DeviceResources open(ResourceOptions options) {
        return new DeviceResources(
                TestDevice.assumed(device()),
                options.withIdleStrategy(IdleStrategy.SLEEP).withCompletionQueueEntries(64));
    }

    private static BitSet processorsOf(CompletionLoop loop) {
        CompletableFuture<BitSet> found = new CompletableFuture<>();
        loop.execute(() -> found.complete(Processors.ofThisThread()));
        return found.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }

    private static BitSet allowed() {
        Assumptions.assumeTrue(SixLongs.supported(), "threads choose their processors on Linux only");
        return Processors.ofThisThread();
    }

    @Test
    void eachLoopRunsOnItsProcessor() {
        int[] allowed = allowed().stream().toArray();
        int last = allowed[allowed.length - 1];
        try (DeviceResources resources =
                open(ResourceOptions.DEFAULT.withLoops(3).withProcessors(allowed[0], last))) {
            assertThat(resources.loops())
                    .extracting(LoopPlaceContract::processorsOf)
                    .extracting(BitSet::toString)
                    .containsExactly("{" + allowed[0] + "}", "{" + last + "}", "{" + allowed[0] + "}");
        }
        assertThat(Processors.ofThisThread())
                .as("the thread that opened the device")
                .isEqualTo(allowed());
    }

    @Test
    void aLoopThatCannotEnterItsPlaceRunsOnAnyProcessor() {
        BitSet broken = new BitSet() {
            @Override
            public boolean isEmpty() {
                throw new IllegalStateException("on purpose");
            }
        };
        try (CapturedLog log = new CapturedLog(LoopPlace.class.getName())) {
            new LoopPlace(0, broken, true).enter();
            assertThat(log.has("WARNING", "the loop runs on any processor")).isTrue();
        }
    }

    /** Starts threads on a loop, and returns the processors of each, and of the loop after that. */
    private static List<BitSet> startedBy(CompletionLoop loop) {
        Environment environment = loop.environment();
        List<CompletableFuture<BitSet>> found =
                Stream.generate(CompletableFuture<BitSet>::new).limit(4).toList();
        loop.execute(() -> {
            environment
                    .newThread("started", () -> found.get(0).complete(Processors.ofThisThread()))
                    .start();
            environment.start("started", () -> found.get(1).complete(Processors.ofThisThread()));
            environment.after(1, () -> found.get(2).complete(Processors.ofThisThread()));
            found.get(3).complete(Processors.ofThisThread());
        });
        return found.stream()
                .map(one -> one.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join())
                .toList();
    }

    @Test
    void threadsThatALoopStartsDoNotInheritItsPlace() {
        BitSet allowed = allowed();
        BitSet only = new BitSet();
        only.set(allowed.nextSetBit(0));
        Assumptions.assumeTrue(allowed.cardinality() > 1, "the process may use one processor only");
        try (DeviceResources resources = open(ResourceOptions.DEFAULT.withProcessors(only.nextSetBit(0)))) {
            assertThat(startedBy(resources.loops().getFirst()))
                    .as("a platform thread, a virtual thread's carrier, a timer's thread, the loop")
                    .containsExactly(allowed, allowed, allowed, only);
        }
    }

    @Test
    void loopsWithoutAChoiceRunWhereTheProcessDoes() {
        try (DeviceResources resources = open(ResourceOptions.DEFAULT)) {
            assertThat(processorsOf(resources.loops().getFirst())).isEqualTo(allowed());
        }
    }

    @Test
    void aProcessorThatIsNotThereIsRefused() {
        int first = allowed().nextSetBit(0);
        assertThatThrownBy(() -> open(ResourceOptions.DEFAULT.withProcessors(first, NO_PROCESSOR)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining("There is no processor " + NO_PROCESSOR)
                .hasMessageContaining("withProcessors");
    }

    @Test
    void processorsAreForThreadsOfTheLoopsOwn() {
        ResourceOptions options =
                ResourceOptions.DEFAULT.withProcessors(allowed().nextSetBit(0));
        assertThatThrownBy(() -> new DeviceResources(TestDevice.assumed(device()), options, loop -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no threads of their own");
    }

    @Test
    void loopsTakeTheVectorsInTurn() {
        try (DeviceContext context = TestDevice.assumed(device()).open()) {
            int last = context.completionVectors() - 1;
            try (DeviceResources resources =
                    open(ResourceOptions.DEFAULT.withLoops(3).withCompletionVectors(last, 0))) {
                assertThat(resources.loops())
                        .extracting(loop -> loop.place().vector())
                        .containsExactly(last, 0, last);
            }
            try (CompletionQueue queue = context.createCompletionQueue(16, null, last)) {
                assertThat(queue.entries()).isGreaterThanOrEqualTo(16);
            }
            assertThatThrownBy(() -> context.createCompletionQueue(16, null, last + 1))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
            assertThatThrownBy(() -> open(ResourceOptions.DEFAULT.withCompletionVectors(last + 1)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("completion vectors 0 to " + last + ", not " + (last + 1));
        }
    }

    @Test
    void theLoopsOfTheProcessAreSpreadOverAllVectors() {
        try (DeviceContext context = TestDevice.assumed(device()).open()) {
            int all = context.completionVectors();
            LoopPlacement placement = LoopPlacement.of(ResourceOptions.DEFAULT, context);
            for (int number = 0; number < 2 * all; number++) {
                assertThat(placement.place(0, number).vector()).isEqualTo(number % all);
            }
        }
    }

    /** Writes what Linux reports of a host with two nodes. */
    private Path hostWithNodes(Path sysfs, String ofDevice, String cpulist) throws Exception {
        Path nodes = sysfs.resolve("devices/system/node");
        Files.createDirectories(nodes.resolve("node0"));
        Files.createDirectories(nodes.resolve("node1"));
        Files.writeString(nodes.resolve("node1/cpulist"), cpulist + "\n");
        Path folder = Files.createDirectories(
                sysfs.resolve("class/infiniband").resolve(device()).resolve("device"));
        Files.writeString(folder.resolve("numa_node"), ofDevice + "\n");
        return sysfs;
    }

    @Test
    void theProcessorsOfTheDevicesNodeAreRead(@TempDir Path folder) throws Exception {
        assertThat(DeviceNode.processors(hostWithNodes(folder, "1", "2,4-6,9"), device()).stream())
                .containsExactly(2, 4, 5, 6, 9);
        assertThat(DeviceNode.processors(folder, "another").isEmpty()).isTrue();
        assertThat(DeviceNode.processors(hostWithNodes(folder, "-1", "0"), device())
                        .isEmpty())
                .as("the device has no node")
                .isTrue();
        assertThat(DeviceNode.processors(hostWithNodes(folder, "what", "0"), device())
                        .isEmpty())
                .isTrue();
        for (String malformed : List.of("-1", "3-1", "0-8192", "0-2147483647", "0-1-2", "4294967296", "none", "1;2")) {
            assertThat(DeviceNode.processors(hostWithNodes(folder, "1", malformed), device())
                            .isEmpty())
                    .as(malformed)
                    .isTrue();
        }
        assertThat(DeviceNode.processors(hostWithNodes(folder, "1", "0,8191"), device()).stream())
                .containsExactly(0, 8191);
        hostWithNodes(folder, "0", "0");
        Files.delete(folder.resolve("devices/system/node/node1/cpulist"));
        Files.delete(folder.resolve("devices/system/node/node1"));
        assertThat(DeviceNode.processors(folder, device()).isEmpty())
                .as("a host with one node")
                .isTrue();
    }

    @Test
    void loopsRunOnTheNodesProcessorsThatTheProcessMayUse() throws Exception {
        int first = allowed().nextSetBit(0);
        BitSet node = new BitSet();
        node.set(first);
        node.set(NO_PROCESSOR);
        BitSet only = new BitSet();
        only.set(first);
        assertThat(enteredBy(new LoopPlace(0, node, false))).isEqualTo(only);
        BitSet elsewhere = new BitSet();
        elsewhere.set(NO_PROCESSOR);
        assertThat(enteredBy(new LoopPlace(0, elsewhere, false)))
                .as("the process was started on another node")
                .isEqualTo(allowed());
    }

    private static BitSet enteredBy(LoopPlace place) throws Exception {
        CompletableFuture<BitSet> found = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            place.enter();
            found.complete(Processors.ofThisThread());
        });
        thread.join();
        return found.join();
    }

    @Test
    void theChoiceOfProcessorsGoesBeforeTheNode(@TempDir Path folder) throws Exception {
        int first = allowed().nextSetBit(0);
        Path sysfs = hostWithNodes(folder, "1", "0-3");
        try (DeviceContext context = TestDevice.assumed(device()).open()) {
            LoopPlace place = LoopPlacement.of(ResourceOptions.DEFAULT.withProcessors(first), context, sysfs)
                    .place(0, 0);
            assertThat(place.processors().stream()).containsExactly(first);
            assertThat(place.chosen()).isTrue();
            BitSet none = LoopPlacement.of(ResourceOptions.DEFAULT, context, sysfs)
                    .place(0, 0)
                    .processors();
            assertThat(none.isEmpty()).isTrue();
            BitSet byNode = LoopPlacement.of(ResourceOptions.DEFAULT.withDeviceNode(true), context, sysfs)
                    .place(0, 0)
                    .processors();
            assertThat(byNode.stream().boxed().toList())
                    .as("a software device has no node")
                    .isEqualTo(context.isSoftware() ? List.of() : List.of(0, 1, 2, 3));
        }
    }
}
