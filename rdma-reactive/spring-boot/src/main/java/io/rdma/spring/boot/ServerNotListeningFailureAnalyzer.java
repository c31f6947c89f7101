package io.rdma.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Report of a start that failed because a server cannot listen, in place of its stack trace. */
final class ServerNotListeningFailureAnalyzer extends AbstractFailureAnalyzer<ServerNotListeningException> {
    @Override
    protected FailureAnalysis analyze(Throwable root, ServerNotListeningException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.remedy() + ".", cause);
    }
}
