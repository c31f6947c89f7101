package io.rdma.internal.soft.cm;

import io.rdma.environment.Environment;
import io.rdma.internal.log.LimitedLog;
import io.rdma.internal.soft.device.ManagementPort;
import io.rdma.internal.soft.wire.Psn;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.types.VerbsException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - An exchange is in `byNumber` from its beginning until its conversation is closed; also in `byPeer` if the peer
// began it.
// - The agent's thread handles messages and timers one after the other; the application's calls run on its own threads.
// Each conversation is guarded by its identifier's monitor.

/** State of a device's connection manager: conversations, listeners and timers. */
public final class CmAgent implements ManagementPort.Receiver {
    private static final int MOST_WAITING = 1024;
    private static final int MOST_EXCHANGES = 1 << 16;
    private static final long KEEP_ALIVE_SECONDS = 10;
    private static final long GOODBYE_MILLIS = 500;
    private static final byte[] NOTHING = {};
    private static final LimitedLog FAILURES = new LimitedLog(CmAgent.class);

    /** Key of an exchange that a peer began. */
    private record Peer(InetSocketAddress device, boolean lookup, int number) {}

    private final SoftRdmacm manager;
    private final CmDevice verbs;
    private final Map<Integer, CmExchange> byNumber = new ConcurrentHashMap<>();
    private final Map<Peer, CmExchange> byPeer = new ConcurrentHashMap<>();
    private final List<SoftCmId> listeners = new CopyOnWriteArrayList<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Environment environment;
    private final ThreadPoolExecutor thread;
    /** GUID of the device on the wire. It is random, so that peers can tell devices apart. */
    final long guid;

    CmAgent(SoftRdmacm manager, CmDevice verbs) {
        this.manager = manager;
        this.verbs = verbs;
        environment = verbs.environment();
        guid = environment.random().nextLong();
        thread = new ThreadPoolExecutor(
                1,
                1,
                KEEP_ALIVE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> environment.newThread("rdma-soft-cm", task));
        thread.allowCoreThreadTimeOut(true);
    }

    SoftRdmacm manager() {
        return manager;
    }

    int randomPsn() {
        return environment.random().nextInt(Psn.MASK + 1);
    }

    void listen(SoftCmId listener) {
        listeners.add(listener);
    }

    void unlisten(SoftCmId listener) {
        listeners.remove(listener);
    }

    int listenersAndExchanges() {
        return listeners.size() + byNumber.size() + byPeer.size();
    }

    /** Creates the exchange of an identifier that begins a conversation. */
    CmExchange begin(SoftCmId id) {
        return add(id, environment.random().nextLong(), null);
    }

    private CmExchange add(SoftCmId id, long transaction, @Nullable InetSocketAddress peer) {
        CmExchange made;
        do {
            int number = environment.random().nextInt();
            made = new CmExchange(this, id, number == 0 ? 1 : number, transaction, peer);
        } while (byNumber.putIfAbsent(made.conversation.localId, made) != null);
        return made;
    }

    void forget(CmExchange exchange) {
        byNumber.remove(exchange.conversation.localId, exchange);
        InetSocketAddress peer = exchange.peer();
        if (peer != null) {
            int number = exchange.conversation.remoteId();
            byPeer.remove(new Peer(peer, exchange.id.isDatagram(), number), exchange);
        }
    }

    void send(long transaction, CmMad message, InetSocketAddress to) {
        verbs.sendManagement(MadCodec.encode(transaction, message), to);
    }

    /** Runs a task on the agent's thread after some time. */
    Environment.Timer after(long nanos, Runnable task) {
        return environment.after(nanos, () -> thread.execute(() -> safely(task)));
    }

    /** Queues a datagram for the agent's thread. In the device's turn. */
    @Override
    public ManagementPort.Outcome arrived(byte[] datagram, InetSocketAddress from) {
        MadCodec.Mad mad = MadCodec.decode(datagram);
        if (mad == null) {
            return ManagementPort.Outcome.MALFORMED;
        }
        if (waiting.incrementAndGet() > MOST_WAITING) {
            waiting.decrementAndGet();
            return ManagementPort.Outcome.NO_ROOM;
        }
        try {
            thread.execute(() -> {
                waiting.decrementAndGet();
                safely(() -> dispatch(mad, from));
            });
        } catch (Throwable e) { // such as no memory for the thread: the datagram is lost
            waiting.decrementAndGet();
            throw e;
        }
        return ManagementPort.Outcome.TAKEN;
    }

    private static void safely(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) { // of any kind: the failure of one conversation must not affect others
            FAILURES.log(System.Logger.Level.WARNING, "a management datagram or timer failed", e);
        }
    }

    private void dispatch(MadCodec.Mad mad, InetSocketAddress from) {
        CmMad message = mad.message();
        CmExchange known = message.remoteId() == 0
                ? byPeer.get(new Peer(from, message instanceof CmLookup, message.localId()))
                : byNumber.get(message.remoteId());
        if (known != null) {
            synchronized (known.id) {
                if (known.isWith(from)) {
                    known.conversation.heard(message);
                }
            }
            return;
        }
        switch (message) {
            case CmRequest request -> requested(mad.transaction(), request, from);
            case CmLookup question -> lookedUp(mad.transaction(), question, from);
            case CmMad.Disconnect end ->
                send(mad.transaction(), new CmMad.Disconnected(end.remoteId(), end.localId()), from);
            default -> {} // an answer to an unknown conversation
        }
    }

    private void requested(long transaction, CmRequest request, InetSocketAddress from) {
        if (!isOf(request.localGid(), from)) {
            return; // the answer would go to another device
        }
        CmAddressing addressing = addressing(request.service(), request.privateData(), from);
        SoftCmId listener = addressing == null ? null : listener(request.service(), addressing);
        int refusal = listener == null
                ? CmReject.INVALID_SERVICE_ID
                : request.transport() != CmRequest.transport(verbs.isIwarp())
                        ? CmReject.INVALID_TRANSPORT
                        : request.mtu() > verbs.activeMtu() ? CmReject.INVALID_MTU : 0;
        if (addressing == null || listener == null || refusal != 0) {
            send(transaction, CmReject.of(0, request.localId(), CmMad.ABOUT_REQUEST, refusal), from);
            return;
        }
        introduce(listener, addressing, request, transaction, from);
    }

    private void lookedUp(long transaction, CmLookup question, InetSocketAddress from) {
        CmAddressing addressing = addressing(question.service(), question.privateData(), from);
        SoftCmId listener = addressing == null ? null : listener(question.service(), addressing);
        if (addressing == null || listener == null) {
            CmMad none =
                    new CmLookupReply(question.localId(), CmLookupReply.UNSUPPORTED, 0, question.service(), 0, NOTHING);
            send(transaction, none, from);
            return;
        }
        introduce(listener, addressing, question, transaction, from);
    }

    /**
     * Creates an identifier for a request and notifies the listener. Drops the request if there are too many: the peer
     * repeats it.
     */
    private void introduce(
            SoftCmId listener, CmAddressing addressing, CmMad request, long transaction, InetSocketAddress from) {
        synchronized (listener) {
            if (byNumber.size() >= MOST_EXCHANGES || !listener.hasRoom()) {
                return;
            }
            SoftCmId id = manager.requested(listener, addressing);
            CmExchange made = add(id, transaction, from);
            synchronized (id) {
                id.exchange = made;
                byPeer.put(new Peer(from, request instanceof CmLookup, request.localId()), made);
                id.asked(request);
            }
            listener.tellOf(id, request);
        }
    }

    private static boolean isOf(byte[] gid, InetSocketAddress device) {
        try {
            return SoftAddress.of(gid).equals(device);
        } catch (VerbsException e) {
            return false;
        }
    }

    /**
     * Reads the addressing of a request.
     *
     * @return null if it is not one of RDMA CM, or does not name the sending device
     */
    private @Nullable CmAddressing addressing(long service, byte[] privateData, InetSocketAddress from) {
        CmAddressing said = CmAddressing.isOurs(service) ? CmAddressing.read(privateData) : null;
        boolean honest = said != null
                && (!verbs.onOwnAddress() || said.source().getAddress().equals(from.getAddress()));
        return honest ? said : null;
    }

    private @Nullable SoftCmId listener(long service, CmAddressing addressing) {
        return listeners.stream()
                .filter(listener -> listener.serves(service, addressing.destination()))
                .findFirst()
                .orElse(null);
    }

    /** Runs a callback about a conversation's queue pair on the agent's thread. In the device's turn. */
    void execute(CmExchange exchange, Consumer<CmConversation> callback) {
        thread.execute(() -> safely(() -> {
            synchronized (exchange.id) {
                callback.accept(exchange.conversation);
            }
        }));
    }

    /** Ends the conversation of a peer whose process has ended, as a message of the peer's kernel would. */
    void ended(byte[] gid, int number, boolean lookup) {
        CmExchange known = byPeer.get(new Peer(SoftAddress.of(gid), lookup, number));
        if (known != null) {
            synchronized (known.id) {
                known.conversation.lost();
            }
        }
    }

    /** Sends each connected peer one disconnect message when this process shuts down in order. */
    public void sayGoodbyeAtExit() {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(this::goodbye, "rdma-soft-cm-goodbye"));
        } catch (IllegalStateException late) {
            System.getLogger(CmAgent.class.getName())
                    .log(System.Logger.Level.DEBUG, "the process is ending already", late);
        }
    }

    /**
     * Disconnects on a separate thread, and waits for it only briefly: a thread that holds an identifier's monitor must
     * not keep the process alive.
     */
    private void goodbye() {
        Thread words = environment.newThread("rdma-soft-cm-last", () -> {
            for (CmExchange exchange : byNumber.values()) {
                synchronized (exchange.id) {
                    if (exchange.conversation.state() == CmConversation.State.ESTABLISHED) {
                        exchange.conversation.disconnect();
                    }
                }
            }
        });
        words.start();
        try {
            words.join(GOODBYE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
