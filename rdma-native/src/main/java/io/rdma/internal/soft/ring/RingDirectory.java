package io.rdma.internal.soft.ring;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

// Invariant: the directory belongs to the user of this process, and other users may not enter it. So a file in it was
// made by a process of the same user.

/** Directory of a user in the memory of the host, in which ring files are for the moment of their hand-over. */
final class RingDirectory {
    private static final Path MEMORY = Path.of("/dev/shm");

    private RingDirectory() {}

    /** Directory of this process's user. It is made for the first ring: most devices never have a peer for one. */
    private static final class Own {
        static final @Nullable Path PATH = find();

        private static @Nullable Path find() {
            try {
                Path own = own(MEMORY);
                removeLeftBehind(own);
                return own;
            } catch (IOException | RuntimeException e) { // no such memory, or a directory of another user
                System.getLogger(RingDirectory.class.getName())
                        .log(System.Logger.Level.DEBUG, "software devices share no memory", e);
                return null;
            }
        }
    }

    /**
     * Returns the directory. May block.
     *
     * @throws IOException if the host has no such memory
     */
    static Path path() throws IOException {
        Path own = Own.PATH;
        if (own == null) {
            throw new IOException("this host has no memory for rings");
        }
        return own;
    }

    /**
     * Returns the user's directory in another one, which everybody may write to.
     *
     * @throws IOException if there is none, and it cannot be made; or if others may enter it
     */
    static Path own(Path parent) throws IOException {
        Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Path own = parent.resolve("rdma-soft-" + user);
        try {
            Files.createDirectory(
                    own, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) { // of an earlier process, or another user's trap
        }
        PosixFileAttributes found = Files.readAttributes(own, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!found.isDirectory()
                || !user.equals(Files.getAttribute(own, "unix:uid", LinkOption.NOFOLLOW_LINKS))
                || !PosixFilePermissions.toString(found.permissions()).equals("rwx------")) {
            throw new IOException(own + " is not a directory for this user alone: remove it");
        }
        return own;
    }

    /** Removes files of processes that ended between the making of a ring and its acceptance. */
    static void removeLeftBehind(Path own) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(own)) {
            for (Path file : files) {
                try {
                    RingFile.removeIfDeserted(file);
                } catch (IOException e) { // its peer has opened it meanwhile, or it is no ring
                }
            }
        }
    }
}
