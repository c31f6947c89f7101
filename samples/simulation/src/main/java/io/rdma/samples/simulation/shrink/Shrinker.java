package io.rdma.samples.simulation.shrink;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Search for a smaller record that still fails. A candidate takes the place of the record if it fails, too. The search
 * ends when no candidate fails. What fails in some orders of the threads only is tried with few orders first, then with
 * more.
 *
 * @param <T> type of the records
 */
final class Shrinker<T extends Record> {
    private static final int FEWEST = 2;
    private static final int MOST = 16;

    private final Trial<T> trial;
    private final Budget budget;
    private T smallest;

    /** Test of a candidate. */
    @FunctionalInterface
    interface Trial<T> {
        /**
         * Tries a candidate.
         *
         * @param attempts number of ways to run it
         * @return the candidate as it failed, or null if it did not
         */
        @Nullable
        T failing(T candidate, int attempts);
    }

    private Shrinker(T failing, Trial<T> trial, Budget budget) {
        smallest = failing;
        this.trial = trial;
        this.budget = budget;
    }

    /** Returns the smallest record that was found. */
    static <T extends Record> T shrink(T failing, Trial<T> trial, Budget budget) {
        Shrinker<T> shrinker = new Shrinker<>(failing, trial, budget);
        for (int attempts = FEWEST; attempts <= MOST; attempts *= 2) {
            Set<T> tried = new HashSet<>();
            while (shrinker.pass(attempts, tried)) {
                // until nothing gets smaller
            }
        }
        return shrinker.smallest;
    }

    /** Tries each candidate once. Returns whether one failed. */
    private boolean pass(int attempts, Set<T> tried) {
        T before = smallest;
        List<T> candidates = Candidates.of(smallest);
        for (int i = 0; i < candidates.size() && budget.isLeft(); ) {
            T found = tried.add(candidates.get(i)) ? trial.failing(candidates.get(i), attempts) : null;
            if (found == null) {
                i++;
            } else {
                smallest = found;
                candidates = Candidates.of(found); // those before i would most likely not fail now either
            }
        }
        return budget.isLeft() && !smallest.equals(before);
    }
}
