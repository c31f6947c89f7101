package io.rdma.internal.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMemoryContractTest extends MemoryContract {
    /** Reserves huge pages. The tests have the virtual machine to themselves. */
    @BeforeAll
    static void reservePages() throws IOException {
        Files.writeString(Path.of("/proc/sys/vm/nr_hugepages"), "4");
    }

    @Override
    String device() {
        return "rxe0";
    }
}
