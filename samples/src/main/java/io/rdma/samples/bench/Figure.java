package io.rdma.samples.bench;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

// Invariant: one value for each round, in order, so two figures of a run can be compared round by round.

/** One number that was measured once in each round; the same for a ratio of two such figures. */
final class Figure {
    private final String name;
    private final String unit;
    private final List<Double> rounds = new ArrayList<>();
    private @Nullable Bar bar;

    Figure(String name, String unit) {
        this.name = name;
        this.unit = unit;
    }

    /** This one over another, round by round. */
    static Figure ratio(Figure figure, Figure base) {
        Figure ratio = new Figure(figure.name + " / " + difference(base.name, figure.name), "x");
        for (int round = 0; round < Math.min(figure.rounds.size(), base.rounds.size()); round++) {
            ratio.add(figure.rounds.get(round) / base.rounds.get(round));
        }
        return ratio;
    }

    /** A name without the words that it begins and ends with as another one does, up to commas. */
    private static String difference(String name, String other) {
        List<String> words = new ArrayList<>(List.of(name.split(", ")));
        List<String> others = new ArrayList<>(List.of(other.split(", ")));
        while (words.size() > 1 && others.size() > 1 && words.getFirst().equals(others.getFirst())) {
            words.removeFirst();
            others.removeFirst();
        }
        while (words.size() > 1 && others.size() > 1 && words.getLast().equals(others.getLast())) {
            words.removeLast();
            others.removeLast();
        }
        return String.join(", ", words);
    }

    void add(double value) {
        rounds.add(value);
    }

    Figure bar(@Nullable Bar wanted) {
        bar = wanted;
        return this;
    }

    String name() {
        return name;
    }

    String unit() {
        return unit;
    }

    List<Double> rounds() {
        return List.copyOf(rounds);
    }

    @Nullable
    Bar bar() {
        return bar;
    }

    double median() {
        List<Double> sorted = rounds.stream().sorted().toList();
        int middle = sorted.size() / 2;
        if (sorted.isEmpty()) {
            return Double.NaN;
        }
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    double least() {
        return rounds.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
    }

    double most() {
        return rounds.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
    }
}
