package io.rdma.internal.soft.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RingFileTest {
    @TempDir
    private Path folder;

    @Test
    void whatOneSideWritesIsInTheInboundRingOfTheOther() throws IOException {
        Path path = folder.resolve("ring");
        try (RingFile maker = RingFile.make(path)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-------");
            assertThat(maker.isAccepted()).isFalse();
            try (RingFile opener = RingFile.open(path)) {
                assertThat(path).doesNotExist();
                assertThat(maker.isAccepted()).isFalse();
                opener.accept();
                assertThat(maker.isAccepted()).isTrue();
                maker.outbound().set(ValueLayout.JAVA_INT, 4096, 5);
                opener.outbound().set(ValueLayout.JAVA_INT, 4096, 6);
                assertThat(opener.inbound().get(ValueLayout.JAVA_INT, 4096)).isEqualTo(5);
                assertThat(maker.inbound().get(ValueLayout.JAVA_INT, 4096)).isEqualTo(6);
                assertThat(maker.isPeerAlive()).as("in this process").isTrue();
            }
        }
    }

    @Test
    void fileThatNobodyOpensIsRemovedByItsMaker() throws IOException {
        Path path = folder.resolve("ring");
        RingFile.make(path).close();
        assertThat(path).doesNotExist();
    }

    @Test
    void fileThatIsThereIsNotTakenForANewOne() throws IOException {
        Path path = Files.writeString(folder.resolve("ring"), "of somebody");
        assertThatThrownBy(() -> RingFile.make(path)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(path).hasContent("of somebody");
    }

    @Test
    void fileOfAnotherSizeIsNotMapped() throws IOException {
        Path path = Files.writeString(folder.resolve("ring"), "short");
        assertThatThrownBy(() -> RingFile.open(path)).hasMessageContaining("bytes, not 5");
        assertThat(path).as("it is not ours").exists();
    }

    @Test
    void linkIsNotFollowed() throws IOException {
        Path target = folder.resolve("target");
        try (RingFile made = RingFile.make(target)) {
            Path link = Files.createSymbolicLink(folder.resolve("link"), target);
            assertThatThrownBy(() -> RingFile.open(link)).isInstanceOf(IOException.class);
            assertThat(made.isAccepted()).isFalse();
        }
    }

    @Test
    void missingFileIsAnError() {
        assertThatThrownBy(() -> RingFile.open(folder.resolve("none"))).isInstanceOf(NoSuchFileException.class);
    }

    /** As of a process that was killed: no lock is held on it. */
    @Test
    void fileOfAProcessThatEndedIsRemoved() throws IOException {
        Path left = Files.writeString(folder.resolve("left"), "zeros");
        RingDirectory.removeLeftBehind(folder);
        assertThat(left).doesNotExist();
    }

    @Test
    void directoryIsForTheUserAlone() throws IOException {
        Path own = RingDirectory.own(folder);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
        assertThat(RingDirectory.own(folder)).isEqualTo(own);
    }

    @Test
    void directoryThatOthersMayEnterIsRefused() throws IOException {
        Path own = RingDirectory.own(folder);
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> RingDirectory.own(folder)).hasMessageContaining("for this user alone");
    }

    @Test
    void linkInPlaceOfTheDirectoryIsRefused() throws IOException {
        Path own = RingDirectory.own(folder);
        Files.move(own, folder.resolve("moved"));
        Files.createSymbolicLink(own, folder.resolve("moved"));
        assertThatThrownBy(() -> RingDirectory.own(folder)).hasMessageContaining("for this user alone");
    }
}
