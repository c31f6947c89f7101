package io.rdma.samples.simulation.coverage;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICounter;

/** Text about the coverage of classes: a summary, and what was never reached. */
final class Report {
    private static final int WIDTH = 120;
    /** Two lines each, so the summary fits on a screen. */
    private static final int WORST = 18;

    private final List<IClassCoverage> classes;

    Report(Collection<IClassCoverage> classes) {
        this.classes = classes.stream()
                .sorted(Comparator.comparing(IClassCoverage::getName))
                .toList();
    }

    /** Returns what was reached of each package, and of the classes of which most is missing. */
    List<String> summary() {
        List<String> lines = new ArrayList<>();
        lines.add(row("=== branches that were taken", "taken", "of", "", "never entered"));
        for (Part part : Part.values()) {
            Map<String, Sum> packages = new TreeMap<>();
            Sum sum = new Sum();
            for (IClassCoverage one : classes) {
                if (Part.of(one.getName()) == part) {
                    packages.computeIfAbsent(one.getPackageName(), name -> new Sum())
                            .add(one);
                    sum.add(one);
                }
            }
            packages.forEach((name, each) -> lines.add(each.row(name.replace('/', '.'))));
            lines.add(sum.row("the " + part.title()));
        }
        lines.add(row("=== classes that miss most", "taken", "of", "", "never entered"));
        classes.stream()
                .sorted(Comparator.comparing(one -> -one.getBranchCounter().getMissedCount()))
                .limit(WORST)
                .forEach(one -> {
                    Sum sum = new Sum();
                    sum.add(one);
                    lines.add(sum.row(name(one)));
                    String methods = new Unreached(one).neverEntered();
                    if (!methods.isEmpty()) {
                        lines.add(cut("    " + methods));
                    }
                });
        return lines;
    }

    /** Returns all that was never reached, grouped by class. */
    List<String> unreached() {
        List<String> lines = new ArrayList<>();
        for (IClassCoverage one : classes) {
            Unreached unreached = new Unreached(one);
            String methods = unreached.neverEntered();
            List<String> places = unreached.places();
            if (methods.isEmpty() && places.isEmpty()) {
                continue;
            }
            ICounter branches = one.getBranchCounter();
            lines.add(name(one) + ": " + branches.getCoveredCount() + " of " + branches.getTotalCount() + " branches");
            if (!methods.isEmpty()) {
                lines.add("    never entered: " + methods);
            }
            places.forEach(place -> lines.add("    " + place));
        }
        return lines;
    }

    private static String name(IClassCoverage of) {
        return of.getName().replace('/', '.').replace('$', '.');
    }

    private static String cut(String line) {
        return line.length() <= WIDTH ? line : line.substring(0, line.lastIndexOf(' ', WIDTH - 2)) + " …";
    }

    private static String row(Object name, Object taken, Object all, Object share, Object methods) {
        return "%-60s %6s %6s %8s %14s".formatted(name, taken, all, share, methods);
    }

    /** Branches and methods of classes. */
    private static final class Sum {
        private int taken;
        private int branches;
        private int neverEntered;

        void add(IClassCoverage one) {
            taken += one.getBranchCounter().getCoveredCount();
            branches += one.getBranchCounter().getTotalCount();
            neverEntered += one.getMethodCounter().getMissedCount();
        }

        String row(String name) {
            String share = branches == 0 ? "" : "%.1f %%".formatted(100.0 * taken / branches);
            return Report.row(name, taken, branches, share, neverEntered);
        }
    }
}
