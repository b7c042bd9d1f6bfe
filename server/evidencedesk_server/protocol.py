"""JSON-RPC with manners. Invariant: every request gets exactly one answer.

What differs from pygls: malformed parameters, unknown methods and requests out of order are answered with an error
instead of silence; shutting down with work in flight is safe; `exit` ends the loop and nothing else; the text of
documents is kept by our own session, not by pygls.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

_LOG = logging.getLogger(__name__)


class Protocol(LanguageServerProtocol):
    """The server's end of the conversation."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.left = asyncio.Event()
        self._initialized = False

    @property
    def exit_code(self) -> int:
        """0 when the client said `shutdown` before it left, as LSP asks."""
        return 0 if self._shutdown else 1

    def receive(self, body: bytes) -> None:
        """Handle one message as it came."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(None, JsonRpcParseError("the message is not valid JSON"))
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            message_id = message.get("id") if isinstance(message, dict) else None
            self._refuse(message_id, JsonRpcInvalidRequest("the message is not JSON-RPC 2.0"))
            return
        method, message_id = message.get("method"), message.get("id")
        if method is not None:
            refusal = self._refusal(method, is_request=message_id is not None)
            if refusal is not None:
                if message_id is not None:
                    self._refuse(message_id, refusal)
                return
        try:
            structured = self.structure_message(message)
        except JsonRpcException:
            problem = JsonRpcInvalidParams(f"the parameters of {method} are malformed")
            if method is None:
                self._fail_own_request(message_id, problem)
            elif message_id is not None:
                self._refuse(message_id, problem)
            return
        if method == types.INITIALIZE:
            self._initialized = True
        self.handle_message(structured)

    def _refusal(self, method: object, is_request: bool) -> JsonRpcException | None:
        """Why a message cannot be handled now; None when it can."""
        if method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server is shutting down")
        if not self._initialized and method != types.INITIALIZE:
            return JsonRpcServerNotInitialized("the first request must be `initialize`")
        if self._initialized and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("the server is initialized already")
        known = method in self.fm.builtin_features or method in self.fm.features
        if known or (method == types.CANCEL_REQUEST and not is_request):
            return None
        return JsonRpcMethodNotFound(f"there is no method {method}")

    def _refuse(self, message_id: Any, error: JsonRpcException) -> None:
        self._send_response(
            message_id if isinstance(message_id, int | str) else None,
            error=error.to_response_error(),
        )

    def _fail_own_request(self, message_id: Any, error: JsonRpcException) -> None:
        """A client answered our request with something unreadable: whoever waits for it must not wait for ever."""
        future = self._request_futures.pop(message_id, None)
        if future is not None and not future.done():
            future.set_exception(error)

    def _send_handler_result(self, future: Any, *, msg_id: Any) -> None:
        # An error that a handler raises on purpose is an answer like any other, nothing for the log.
        error = None if future.cancelled() else future.exception()
        if isinstance(error, JsonRpcException):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=error.to_response_error())
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    def _send_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        # Ready-made answers are plain JSON already: walking them once more would cost the loop its time.
        if error is None:
            self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "result": result})
        else:
            super()._send_response(msg_id, error=error)

    def notify_json(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification whose parameters are plain JSON already."""
        self._send_data({"jsonrpc": self.VERSION, "method": method, "params": params})

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> None:  # type: ignore[override]
        """Cancel what is in flight; the answer goes out after this returns."""
        self._shutdown = True
        own = self.msg_id
        for message_id, future in list(self._request_futures.items()):
            if message_id != own:
                future.cancel()
        self._call_feature(types.SHUTDOWN, args[0] if args else None)

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> None:  # type: ignore[override]
        """Let the main coroutine end the process."""
        self.left.set()

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Hand over to our session."""
        self._call_feature(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Hand over to our session."""
        self._call_feature(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Hand over to our session."""
        self._call_feature(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _call_feature(self, method: str, params: Any) -> None:
        feature: Callable[[Any], None] | None = self.fm.features.get(method)
        if feature is not None:
            feature(params)
