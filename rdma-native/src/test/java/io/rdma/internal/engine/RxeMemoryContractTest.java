package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMemoryContractTest extends MemoryContract {
    /** Reserves huge pages, if the kernel has them. The tests have the virtual machine to themselves. */
    @BeforeAll
    static void reservePages() throws IOException {
        if (Files.exists(RESERVED_PAGES)) {
            Files.writeString(RESERVED_PAGES, "4");
        }
    }

    @Override
    String device() {
        return TestDevice.real();
    }
}
