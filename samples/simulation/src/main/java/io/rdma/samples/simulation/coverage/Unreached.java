package io.rdma.samples.simulation.coverage;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.IMethodCoverage;

/** What no run reached in a class: methods, lines and branches. */
final class Unreached {
    private static final Pattern LAMBDA = Pattern.compile("lambda\\$(.+)\\$\\d+");

    private final IClassCoverage of;

    Unreached(IClassCoverage of) {
        this.of = of;
    }

    private List<IMethodCoverage> methods(boolean entered) {
        return of.getMethods().stream()
                .filter(method -> method.getInstructionCounter().getCoveredCount() > 0 == entered)
                .sorted(Comparator.comparing(IMethodCoverage::getFirstLine))
                .toList();
    }

    /** Returns the methods that were never entered with their lines, or an empty string. */
    String neverEntered() {
        return String.join(
                ", ",
                methods(false).stream()
                        .map(method -> name(method) + ":" + method.getFirstLine())
                        .toList());
    }

    /** Returns a line for each method that was entered, and of which something was not reached. */
    List<String> places() {
        List<String> places = new ArrayList<>();
        for (IMethodCoverage method : methods(true)) {
            List<String> lines = lines(method);
            if (!lines.isEmpty()) {
                places.add(name(method) + ":" + String.join(", ", lines));
            }
        }
        return places;
    }

    private static List<String> lines(IMethodCoverage method) {
        List<String> lines = new ArrayList<>();
        for (int i = Math.max(method.getFirstLine(), 0); i <= method.getLastLine(); i++) {
            ICounter branches = method.getLine(i).getBranchCounter();
            if (method.getLine(i).getStatus() == ICounter.NOT_COVERED) {
                int first = i;
                i = lastMissed(method, first);
                lines.add((first == i ? "" : first + "-") + i + " never");
            } else if (branches.getMissedCount() > 0) {
                lines.add(i + " misses " + branches.getMissedCount() + " of " + branches.getTotalCount());
            }
        }
        return lines;
    }

    /** Returns the last of the lines that were not reached from a first one on. Lines without code may be between. */
    private static int lastMissed(IMethodCoverage method, int first) {
        int last = first;
        for (int i = first + 1; i <= method.getLastLine(); i++) {
            int status = method.getLine(i).getStatus();
            if (status == ICounter.NOT_COVERED) {
                last = i;
            } else if (status != ICounter.EMPTY) {
                break;
            }
        }
        return last;
    }

    private static String name(IMethodCoverage method) {
        return LAMBDA.matcher(method.getName()).replaceFirst("$1 (lambda)");
    }
}
