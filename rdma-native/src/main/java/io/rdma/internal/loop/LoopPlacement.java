package io.rdma.internal.loop;

import io.rdma.engine.ResourceOptions;
import io.rdma.internal.os.Processors;
import io.rdma.internal.os.SixLongs;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import io.rdma.verbs.DeviceContext;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;

/** Choice of the places of one device's loops: completion vectors and processors, as the options ask for them. */
public final class LoopPlacement {
    private final List<Integer> vectors;
    private final int allVectors;
    private final List<Integer> processors;
    private final BitSet node;

    private LoopPlacement(List<Integer> vectors, int allVectors, List<Integer> processors, BitSet node) {
        this.vectors = vectors;
        this.allVectors = allVectors;
        this.processors = processors;
        this.node = node;
    }

    /**
     * Checks what the options ask for.
     *
     * @throws VerbsException EINVAL if the device has no such completion vector, or there is no such processor for this
     *     process; EOPNOTSUPP if threads cannot choose their processors here
     */
    public static LoopPlacement of(ResourceOptions options, DeviceContext context) {
        return of(options, context, Path.of("/sys"));
    }

    static LoopPlacement of(ResourceOptions options, DeviceContext context, Path sysfs) {
        int vectors = context.completionVectors();
        for (int vector : options.completionVectors()) {
            if (vector >= vectors) {
                throw new VerbsException(
                        "ibv_create_cq",
                        Errno.EINVAL,
                        context.name() + " has the completion vectors 0 to " + (vectors - 1) + ", not " + vector
                                + ": change ResourceOptions.withCompletionVectors");
            }
        }
        options.processors().forEach(LoopPlacement::check);
        boolean byNode =
                options.processors().isEmpty() && options.deviceNode() && !context.isSoftware() && SixLongs.supported();
        BitSet node = byNode ? DeviceNode.processors(sysfs, context.name()) : new BitSet();
        return new LoopPlacement(options.completionVectors(), vectors, options.processors(), node);
    }

    private static void check(int processor) {
        if (!SixLongs.supported()) {
            throw new VerbsException(
                    "sched_setaffinity",
                    Errno.EOPNOTSUPP,
                    "Loops can choose their processors on Linux only: leave ResourceOptions.withProcessors out");
        }
        int result = Processors.check(processor);
        if (result < 0) {
            throw new VerbsException(
                    "sched_setaffinity",
                    -result,
                    "There is no processor " + processor + ", or this process may not use it. This thread may use "
                            + Processors.ofThisThread() + ": change ResourceOptions.withProcessors, or the limits of"
                            + " the process (taskset, cpuset)");
        }
    }

    /**
     * Returns the place of a loop.
     *
     * @param index of the loop among those of the device, from 0
     * @param number of the loop in the process
     */
    LoopPlace place(int index, int number) {
        int vector = vectors.isEmpty() ? Math.floorMod(number, allVectors) : vectors.get(index % vectors.size());
        if (processors.isEmpty()) {
            return new LoopPlace(vector, node, false);
        }
        BitSet one = new BitSet();
        one.set(processors.get(index % processors.size()));
        return new LoopPlace(vector, one, true);
    }
}
