package io.rdma.internal.soft.objects;

import org.jspecify.annotations.Nullable;

/** Map from int to object without boxing: open addressing, linear probing, at most half full. Not thread-safe. */
public final class IntTable<T> {
    private int[] keys = new int[64];
    private @Nullable Object[] values = new @Nullable Object[64];
    private int size;

    @SuppressWarnings("unchecked")
    @Nullable
    public T get(int key) {
        int mask = keys.length - 1;
        for (int i = slot(key, mask); values[i] != null; i = (i + 1) & mask) {
            if (keys[i] == key) {
                return (T) values[i];
            }
        }
        return null;
    }

    public void put(int key, T value) {
        if (size * 2 >= keys.length) {
            grow();
        }
        insert(key, value);
    }

    public void remove(int key) {
        int mask = keys.length - 1;
        for (int i = slot(key, mask); values[i] != null; i = (i + 1) & mask) {
            if (keys[i] == key) {
                size--;
                close(i, mask);
                return;
            }
        }
    }

    /** Empties a place, and moves later entries into it that a probe would not reach any more. */
    private void close(int place, int mask) {
        int gap = place;
        values[gap] = null;
        for (int i = (gap + 1) & mask; values[i] != null; i = (i + 1) & mask) {
            int probes = (i - slot(keys[i], mask)) & mask;
            if (probes >= ((i - gap) & mask)) {
                keys[gap] = keys[i];
                values[gap] = values[i];
                values[i] = null;
                gap = i;
            }
        }
    }

    private void insert(int key, Object value) {
        int mask = keys.length - 1;
        int i = slot(key, mask);
        while (values[i] != null) {
            i = (i + 1) & mask;
        }
        keys[i] = key;
        values[i] = value;
        size++;
    }

    private void grow() {
        int capacity = keys.length * 2;
        int[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        keys = new int[capacity];
        values = new @Nullable Object[capacity];
        size = 0;
        for (int i = 0; i < oldKeys.length; i++) {
            Object value = oldValues[i];
            if (value != null) {
                insert(oldKeys[i], value);
            }
        }
    }

    private static int slot(int key, int mask) {
        int h = key * 0x9e3779b9;
        return (h ^ (h >>> 15)) & mask;
    }
}
