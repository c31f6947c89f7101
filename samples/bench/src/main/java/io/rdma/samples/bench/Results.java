package io.rdma.samples.bench;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The figures of one benchmark, and their comparisons. */
final class Results {
    private final String instrument;
    private final double loadBefore = load();
    private final Map<String, Figure> figures = new LinkedHashMap<>();
    private final List<Figure> ratios = new ArrayList<>();

    Results(String instrument) {
        this.instrument = instrument;
    }

    /** Returns the load of the machine over the last minute, of all programs together; negative if it is not known. */
    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    /** Adds a value of this round to a figure. */
    void add(String name, String unit, double value) {
        figures.computeIfAbsent(name, n -> new Figure(n, unit)).add(value);
    }

    /** Sets the bar of a figure. Does nothing for a figure that was not measured. */
    void bar(String name, Bar bar) {
        Figure figure = figures.get(name);
        if (figure != null) {
            figure.bar(bar);
        }
    }

    /**
     * Adds the ratio of two figures, if both were measured. There is no ratio to a processor time below the resolution
     * of the clock, which is 0. Called after the last round.
     */
    void compare(String name, String base, @Nullable Bar bar) {
        Figure figure = figures.get(name);
        Figure other = figures.get(base);
        if (figure != null && other != null && other.least() > 0) {
            ratios.add(Figure.ratio(figure, other).bar(bar));
        }
    }

    /** Adds the ratio of two figures, without a bar. */
    void compare(String name, String base) {
        compare(name, base, null);
    }

    String instrument() {
        return instrument;
    }

    List<Figure> figures() {
        return List.copyOf(figures.values());
    }

    List<Figure> ratios() {
        return List.copyOf(ratios);
    }

    /** Returns a description of the machine on which the figures were measured. */
    Map<String, Object> machine() {
        Map<String, Object> machine = new LinkedHashMap<>();
        machine.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        machine.put("architecture", System.getProperty("os.arch"));
        machine.put("processors", Runtime.getRuntime().availableProcessors());
        machine.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
        machine.put("loadBefore", loadBefore);
        machine.put("loadAfter", load());
        return machine;
    }

    void print(PrintStream out) {
        out.printf(Locale.ROOT, "%n%s on %s%n", instrument, machine());
        out.printf(
                Locale.ROOT, "%10s %10s %10s  %-12s %-9s %-8s %s%n", "median", "least", "most", "unit", "bar", "", "");
        figures.values().forEach(figure -> print(out, figure));
        ratios.forEach(figure -> print(out, figure));
    }

    private static void print(PrintStream out, Figure figure) {
        Bar bar = figure.bar();
        out.printf(
                Locale.ROOT,
                "%10.4g %10.4g %10.4g  %-12s %-9s %-8s %s%n",
                figure.median(),
                figure.least(),
                figure.most(),
                figure.unit(),
                bar == null ? "" : bar,
                bar == null ? "" : bar.isMet(figure.median()) ? "met" : "NOT MET",
                figure.name());
    }
}
