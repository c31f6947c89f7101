package io.rdma.internal.soft.objects;

import org.jspecify.annotations.Nullable;

/**
 * What a posted binding is to do.
 *
 * @param window which
 * @param oldKey of the window when this was posted
 * @param newKey of the window afterwards
 * @param region null only where the length is 0
 * @param address first byte, as the region names it
 * @param length bytes; 0 makes a type 1 window empty
 * @param access of the peer
 */
public record Bind(
        SoftMw window, int oldKey, int newKey, @Nullable SoftMr region, long address, long length, int access) {}
