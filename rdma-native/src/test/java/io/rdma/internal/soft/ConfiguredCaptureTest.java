package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Captures from the opening of a device on. */
class ConfiguredCaptureTest {
    private static final String PROPERTY = "io.rdma.soft.capture";

    private String before;
    private SoftVerbs verbs;

    @TempDir
    private Path folder;

    /** A device at a fixed port, so that it cannot be opened while another one is left there. */
    @BeforeEach
    void choosePort() throws IOException {
        before = System.getProperty(PROPERTY, "");
        InetAddress address = SoftConfig.loopback().address();
        try (DatagramSocket free = new DatagramSocket(0, address)) {
            verbs = new SoftVerbs(SoftConfig.at(address, free.getLocalPort()));
        }
    }

    @AfterEach
    void restore() {
        System.setProperty(PROPERTY, before);
    }

    @Test
    void aDeviceWhoseCaptureCannotBeWrittenIsNotOpened() {
        System.setProperty(PROPERTY, folder.resolve("missing/packets").toString());
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> verbs.openDevice(verbs.name()))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("-D" + PROPERTY);
            assertThat(verbs.address()).isNull();
        }
        System.setProperty(PROPERTY, folder.resolve("packets").toString());
        verbs.closeDevice(verbs.openDevice(verbs.name()));
        assertThat(folder.resolve("packets.soft0")).isNotEmptyFile();
    }
}
