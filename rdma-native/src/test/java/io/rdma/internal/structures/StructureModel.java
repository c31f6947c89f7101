package io.rdma.internal.structures;

import io.rdma.internal.os.StackRoom;
import io.rdma.testing.Stress;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * Model of a structure: a class whose methods are the operations of clients, and its specification, in which each
 * operation is one step. The first parameter of an operation is the number of the client, from 1.
 *
 * @param clients class of the model
 * @param specification class with the same methods
 */
record StructureModel(Class<?> clients, Class<?> specification) {
    /** Classes that share nothing: to look for interleavings within them would cost most of the time. */
    private static final String[] ALONE = Stream.of(
                    CRC32C.class,
                    StackRoom.class,
                    RecordLayout.class,
                    RingLayout.class,
                    RecordWord.class,
                    StructureHeader.class,
                    Bucket.class,
                    InterleavedMemory.Cuts.class)
            .map(Class::getName)
            .toArray(String[]::new);

    /**
     * Checks that the results of operations are those of the specification, in some order, whatever interleaves.
     *
     * @param threads operations of each client, such as {@code put 3, get}
     */
    void check(int interleavings, String... threads) {
        List<List<Actor>> actors = new ArrayList<>();
        for (String thread : threads) {
            actors.add(actors(actors.size() + 1, thread));
        }
        runAlone(actors); // loads the classes, which would otherwise count in the model checker's time limit
        new ModelCheckingOptions()
                .iterations(0)
                .invocationsPerIteration(Stress.times(interleavings))
                .addCustomScenario(new ExecutionScenario(List.of(), actors, List.of(), null))
                .sequentialSpecification(specification)
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(ALONE)
                        .allMethods()
                        .ignore())
                .minimizeFailedScenario(false)
                .check(clients);
    }

    /** Runs one client after the other. */
    private void runAlone(List<List<Actor>> threads) {
        try {
            Object model = clients.getConstructor().newInstance();
            for (List<Actor> actors : threads) {
                for (Actor actor : actors) {
                    actor.getMethod().invoke(model, actor.getArguments().toArray());
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private List<Actor> actors(int client, String operations) {
        return Arrays.stream(operations.split(", "))
                .map(operation -> actor(client, operation.split(" ")))
                .toList();
    }

    private Actor actor(int client, String[] words) {
        Method method = Arrays.stream(clients.getMethods())
                .filter(one -> one.getName().equals(words[0]))
                .findFirst()
                .orElseThrow();
        List<Object> arguments = new ArrayList<>(List.of(client));
        Arrays.stream(words).skip(1).map(Integer::valueOf).forEach(arguments::add);
        return new Actor(method, arguments);
    }
}
