package io.rdma.internal.soft.objects;

// Invariants (device thread)
// - A block is 32 pages, with two bits each: the lower one if the device may read the page, both if it may write it.
// - blocks[i] is the number of a block plus 1, or 0 for a free place. Places are never freed one by one, so a search
// ends at the first free one. At most half of the places are taken.

/** The pages of an on-demand region that the device can access now. All others are faults at their next access. */
final class PageTable {
    private static final int PAGE_SHIFT = 12;
    private static final int BLOCK_SHIFT = PAGE_SHIFT + 5;
    private static final int PAGES_OF_BLOCK = 32;
    private static final long READABLE = 0x5555_5555_5555_5555L;
    private static final long WRITABLE = -1L;
    /** Upper bound of blocks: 8 GiB of pages if all of each block are in use. A device has limited memory for them. */
    private static final int MOST_BLOCKS = 1 << 16;

    private static final int FEWEST_PLACES = 16;

    private long[] blocks = new long[FEWEST_PLACES];
    private long[] pages = new long[FEWEST_PLACES];
    private int size;
    private int epoch;

    /**
     * Forgets all pages if they are of another epoch.
     *
     * @return how many pages it has forgotten
     */
    int enter(int newEpoch) {
        if (epoch == newEpoch) {
            return 0;
        }
        epoch = newEpoch;
        return clear();
    }

    private int clear() {
        int forgotten = 0;
        for (long bits : pages) {
            forgotten += Long.bitCount(bits & READABLE);
        }
        blocks = new long[FEWEST_PLACES];
        pages = new long[FEWEST_PLACES];
        size = 0;
        return forgotten;
    }

    /** Returns whether the device can access all pages of a range of at least one byte. */
    boolean has(long address, long bytes, boolean write) {
        long last = address + bytes - 1;
        for (long block = address >>> BLOCK_SHIFT; block <= last >>> BLOCK_SHIFT; block++) {
            long wanted = bits(block, address, last, write);
            int place = place(block);
            if (blocks[place] == 0 || (pages[place] & wanted) != wanted) {
                return false;
            }
        }
        return true;
    }

    /**
     * Adds the pages of a range of at least one byte and at most 4 GiB. If there is no place for them, forgets all
     * others first.
     *
     * @return how many pages it has forgotten
     */
    int add(long address, long bytes, boolean write) {
        long last = address + bytes - 1;
        int forgotten = size + missing(address, last) > MOST_BLOCKS ? clear() : 0;
        for (long block = address >>> BLOCK_SHIFT; block <= last >>> BLOCK_SHIFT; block++) {
            int place = place(block);
            if (blocks[place] == 0) {
                if (2 * (size + 1) > blocks.length) {
                    grow();
                    place = place(block);
                }
                blocks[place] = block + 1;
                size++;
            }
            pages[place] |= bits(block, address, last, write);
        }
        return forgotten;
    }

    private int missing(long address, long last) {
        int count = 0;
        for (long block = address >>> BLOCK_SHIFT; block <= last >>> BLOCK_SHIFT; block++) {
            count += blocks[place(block)] == 0 ? 1 : 0;
        }
        return count;
    }

    /**
     * Removes the pages of a range of at least one byte.
     *
     * @return how many of them there were
     */
    int remove(long address, long bytes) {
        long last = address + bytes - 1;
        int removed = 0;
        for (long block = address >>> BLOCK_SHIFT; block <= last >>> BLOCK_SHIFT; block++) {
            int place = place(block);
            long gone = bits(block, address, last, true) & pages[place];
            removed += Long.bitCount(gone & READABLE);
            pages[place] &= ~gone;
        }
        return removed;
    }

    /** Returns the bits of those pages of a block that lie between two addresses. */
    private static long bits(long block, long address, long last, boolean write) {
        long firstPage = Math.max(0, (address >>> PAGE_SHIFT) - block * PAGES_OF_BLOCK);
        long lastPage = Math.min(PAGES_OF_BLOCK - 1, (last >>> PAGE_SHIFT) - block * PAGES_OF_BLOCK);
        long range = -1L >>> 2 * (PAGES_OF_BLOCK - 1 - (lastPage - firstPage)) << 2 * firstPage;
        return range & (write ? WRITABLE : READABLE);
    }

    /** Returns the place of a block, or the free place where it belongs. */
    private int place(long block) {
        int mask = blocks.length - 1;
        int at = (int) (block * 0x9e37_79b9_7f4a_7c15L >>> 40) & mask;
        while (blocks[at] != 0 && blocks[at] != block + 1) {
            at = at + 1 & mask;
        }
        return at;
    }

    private void grow() {
        long[] oldBlocks = blocks;
        long[] oldPages = pages;
        blocks = new long[2 * oldBlocks.length];
        pages = new long[blocks.length];
        for (int i = 0; i < oldBlocks.length; i++) {
            if (oldBlocks[i] != 0) {
                int place = place(oldBlocks[i] - 1);
                blocks[place] = oldBlocks[i];
                pages[place] = oldPages[i];
            }
        }
    }
}
