package io.rdma.samples.simulation.shrink;

import io.rdma.samples.simulation.world.Plan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Plans that are given as options, in place of those of seeds. */
public final class GivenPlans {
    private final List<Plan> plans = new ArrayList<>();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Option(names = "--plan", description = "a plan, as a failing run prints it, in place of seeds")
    private void plan(String text) {
        add(List.of(text), "--plan");
    }

    @Option(names = "--plan-file", description = "a file with a plan in each line, in place of seeds")
    private void file(Path file) {
        try {
            add(Files.readAllLines(file), file.toString());
        } catch (IOException e) {
            throw new ParameterException(command.commandLine(), "cannot read " + file + ": " + e, e);
        }
    }

    private void add(List<String> lines, String from) {
        try {
            plans.addAll(Plans.readAll(lines));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), from + ", " + e.getMessage(), e);
        }
    }

    /** Returns whether there are any. */
    public boolean isGiven() {
        return !plans.isEmpty();
    }

    /** Returns their number. */
    public int count() {
        return plans.size();
    }

    public Plan get(long number) {
        return plans.get((int) number);
    }
}
