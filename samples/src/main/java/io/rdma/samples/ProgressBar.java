package io.rdma.samples;

/** A bar that is drawn over on a terminal, and written anew a few times where there is none. One caller at a time. */
public final class ProgressBar {
    private static final int WIDTH = 30;

    private final boolean terminal =
            System.console() != null && System.console().isTerminal();
    private final long total;
    private final long steps;
    private long shown;

    /**
     * A bar that is empty.
     *
     * @param total when it is full
     * @param stepsWithoutTerminal how often it is written where there is no terminal
     */
    public ProgressBar(long total, int stepsWithoutTerminal) {
        this.total = total;
        this.steps = terminal ? WIDTH : stepsWithoutTerminal;
    }

    /**
     * Whether it is drawn over.
     *
     * @return false if each writing is a line more
     */
    public boolean isTerminal() {
        return terminal;
    }

    /**
     * Whether it has to be written, as there is another step of it.
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
     * Writes it.
     *
     * @param before text in front of the bar
     * @param count so far, at most the total
     * @param behind text behind the count
     */
    public void write(String before, long count, String behind) {
        int filled = (int) (count * WIDTH / total);
        String line =
                before + "[" + "#".repeat(filled) + ".".repeat(WIDTH - filled) + "] " + count + "/" + total + behind;
        System.out.print(terminal ? "\r" + line + (count == total ? "\n" : "") : line + "\n");
        System.out.flush();
    }
}
