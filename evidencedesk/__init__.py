"""EvidenceDesk: shows, at the sentence that causes it, why retrieval will not find an answer."""
