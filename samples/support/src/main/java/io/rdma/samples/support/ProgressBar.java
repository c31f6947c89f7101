package io.rdma.samples.support;

/**
 * A progress bar. On a terminal it is redrawn in place; elsewhere it is printed a few times, on a new line each time.
 * One caller at a time.
 */
public final class ProgressBar {
    private static final int WIDTH = 30;

    private final boolean terminal =
            System.console() != null && System.console().isTerminal();
    private final long total;
    private final long steps;
    private long shown;

    /**
     * Creates an empty bar.
     *
     * @param total the count at which the bar is full
     * @param stepsWithoutTerminal how often the bar is printed if there is no terminal
     */
    public ProgressBar(long total, int stepsWithoutTerminal) {
        this.total = total;
        this.steps = terminal ? WIDTH : stepsWithoutTerminal;
    }

    /**
     * Returns whether the bar is redrawn in place.
     *
     * @return false if each call of {@link #write} prints a new line
     */
    public boolean isTerminal() {
        return terminal;
    }

    /**
     * Returns whether the bar has to be written because it has reached another step.
     *
     * @param count so far
     * @return true once for each step
     */
    public boolean moves(long count) {
        long step = count * steps / total;
        if (step <= shown) {
            return false;
        }
        shown = step;
        return true;
    }

    /**
     * Writes the bar.
     *
     * @param before text before the bar
     * @param count so far, at most the total
     * @param behind text after the count
     */
    public void write(String before, long count, String behind) {
        int filled = (int) (count * WIDTH / total);
        String line =
                before + "[" + "#".repeat(filled) + ".".repeat(WIDTH - filled) + "] " + count + "/" + total + behind;
        System.out.print(terminal ? "\r" + line + (count == total ? "\n" : "") : line + "\n");
        System.out.flush();
    }
}
