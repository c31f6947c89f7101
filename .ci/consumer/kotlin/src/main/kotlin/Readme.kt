import io.rdma.connect.RdmaConnectException
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaServer
import io.rdma.coroutines.send
import io.rdma.coroutines.texts
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

// README.md's Kotlin, with the names that it leaves out: a server that serves until it is cancelled, and a client.
suspend fun server() {
    // README, first part
}

suspend fun client() {
    // README, second part
}

fun main() =
    runBlocking {
        val server = launch(Dispatchers.Default) { server() }
        while (runCatching { client() }.onFailure { if (it !is RdmaConnectException) throw it }.isFailure) delay(50)
        server.cancelAndJoin()
    }
