package io.rdma.internal.soft.ring;

import io.rdma.internal.ibv.NativeMemory;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

// Invariants
// - All bytes of the file are written before it is mapped, so no access can fail for want of memory.
// - Each side holds a lock on a byte of its own as long as it has the file open. The kernel releases it when a process
// ends in any way, so a lock that can be taken shows that the other side is gone (fcntl(2), F_SETLK).
// - The file has a name only until the other side has opened it.

/** File of two rings, one for each direction, that two processes map. It is in the user's own directory of a tmpfs. */
final class RingFile implements AutoCloseable {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final int CHUNK = 1 << 16;
    private static final int BYTES = 2 * Ring.BYTES;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final Path path;
    private final boolean made;
    private final FileChannel channel;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    private RingFile(Path path, boolean made, FileChannel channel) throws IOException {
        this.path = path;
        this.made = made;
        this.channel = channel;
        memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena);
    }

    /** Makes a file, to which the other side is told the name. */
    static RingFile make(Path path) throws IOException {
        FileChannel channel = FileChannel.open(
                path,
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        try {
            lock(channel, true);
            ByteBuffer zeros = ByteBuffer.allocateDirect(CHUNK);
            for (int at = 0; at < BYTES; at += zeros.position()) {
                zeros.clear().limit(Math.min(CHUNK, BYTES - at));
                while (zeros.hasRemaining()) {
                    channel.write(zeros, at + zeros.position());
                }
            }
            return new RingFile(path, true, channel);
        } catch (Throwable e) {
            channel.close();
            Files.deleteIfExists(path);
            throw e;
        }
    }

    /**
     * Opens a file that the other side has made, and removes its name.
     *
     * @throws IOException if there is no such file, or it is none of this class
     */
    static RingFile open(Path path) throws IOException {
        FileChannel channel =
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        try {
            if (channel.size() != BYTES) {
                throw new IOException("a ring has " + BYTES + " bytes, not " + channel.size());
            }
            lock(channel, false);
            Files.delete(path);
            return new RingFile(path, false, channel);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    private static void lock(FileChannel channel, boolean maker) throws IOException {
        if (tryLock(channel, maker) == null) {
            throw new IOException("another process has opened the ring");
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel, boolean maker) throws IOException {
        return channel.tryLock(maker ? 0 : 1, 1, false);
    }

    String name() {
        return path.getFileName().toString();
    }

    /** Returns the memory of the ring in which this side writes. */
    MemorySegment outbound() {
        return memory.asSlice(made ? 0 : Ring.BYTES, Ring.BYTES);
    }

    /** Returns the memory of the ring that the other side writes. */
    MemorySegment inbound() {
        return memory.asSlice(made ? Ring.BYTES : 0, Ring.BYTES);
    }

    /** Tells the maker that this side has opened the file. */
    void accept() {
        INT.setRelease(NativeMemory.ALL, memory.address() + Ring.ACCEPTED, 1);
    }

    /** Returns whether the other side has opened the file. */
    boolean isAccepted() {
        return !made || (int) INT.getAcquire(NativeMemory.ALL, memory.address() + Ring.ACCEPTED) != 0;
    }

    /** Returns whether the other side still has the file open. It has opened it before. */
    boolean isPeerAlive() {
        try (FileLock lock = tryLock(channel, !made)) {
            return lock == null;
        } catch (OverlappingFileLockException e) { // the other side is in this process
            return true;
        } catch (IOException e) { // out of locks
            return true;
        }
    }

    /** Unmaps the memory. Nothing reads or writes it any more. */
    @Override
    public void close() {
        arena.close();
        try {
            channel.close();
            if (made) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            System.getLogger(RingFile.class.getName()).log(Level.DEBUG, "a ring was not closed", e);
        }
    }

    /** Removes a file whose maker has ended before the other side opened it. */
    static void removeIfDeserted(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            if (channel.size() == 0) { // it may be new: its maker takes the lock before it writes
                return;
            }
            try (FileLock lock = tryLock(channel, true)) {
                if (lock != null) {
                    Files.deleteIfExists(path);
                }
            }
        } catch (OverlappingFileLockException e) { // of this process
        }
    }
}
