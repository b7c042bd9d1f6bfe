"""All rules, in the order of their codes. Invariant: `RULES` is the only list of rules there is."""

from __future__ import annotations

from evidencedesk.rule import Rule
from evidencedesk.rules.ambiguous_heading import ambiguous_heading
from evidencedesk.rules.answer_outranked import answer_outranked
from evidencedesk.rules.answer_split import answer_split
from evidencedesk.rules.answerable_without_gold import answerable_without_gold
from evidencedesk.rules.audience_leak import audience_leak
from evidencedesk.rules.broken_run_record import broken_run_record
from evidencedesk.rules.broken_supersedes import broken_supersedes
from evidencedesk.rules.config_error import config_error
from evidencedesk.rules.conflict_marker import conflict_marker
from evidencedesk.rules.damaged_text import damaged_text
from evidencedesk.rules.dropped_before_prompt import dropped_before_prompt
from evidencedesk.rules.duplicate_chunk import duplicate_chunk
from evidencedesk.rules.duplicate_document_id import duplicate_document_id
from evidencedesk.rules.duplicate_in_context import duplicate_in_context
from evidencedesk.rules.duplicate_label_id import duplicate_label_id
from evidencedesk.rules.duplicate_question import duplicate_question
from evidencedesk.rules.evidence_ambiguous import evidence_ambiguous
from evidencedesk.rules.evidence_in_superseded_document import evidence_in_superseded_document
from evidencedesk.rules.evidence_not_found import evidence_not_found
from evidencedesk.rules.front_matter import front_matter
from evidencedesk.rules.front_matter_date import front_matter_date
from evidencedesk.rules.gold_on_unanswerable import gold_on_unanswerable
from evidencedesk.rules.json_syntax import json_syntax
from evidencedesk.rules.label_schema import label_schema
from evidencedesk.rules.lost_answer import lost_answer
from evidencedesk.rules.missed_evidence import missed_evidence
from evidencedesk.rules.mixed_versions_in_context import mixed_versions_in_context
from evidencedesk.rules.near_duplicate_chunk import near_duplicate_chunk
from evidencedesk.rules.newly_split import newly_split
from evidencedesk.rules.no_content_page import no_content_page
from evidencedesk.rules.open_fence import open_fence
from evidencedesk.rules.outdated_run import outdated_run
from evidencedesk.rules.oversize_chunk import oversize_chunk
from evidencedesk.rules.question_leaks_evidence import question_leaks_evidence
from evidencedesk.rules.rank_regression import rank_regression
from evidencedesk.rules.stale_document_match import stale_document_match
from evidencedesk.rules.table_split import table_split
from evidencedesk.rules.two_current_versions import two_current_versions
from evidencedesk.rules.unanswerable_junk import unanswerable_junk
from evidencedesk.rules.unfindable_section import unfindable_section
from evidencedesk.rules.unknown_rule import unknown_rule
from evidencedesk.rules.unknown_section import unknown_section
from evidencedesk.rules.unreadable_file import unreadable_file
from evidencedesk.rules.unsupported_answer import unsupported_answer
from evidencedesk.rules.unsupported_citation import unsupported_citation
from evidencedesk.rules.unused_suppression import unused_suppression

RULES: tuple[Rule, ...] = (
    unreadable_file,
    front_matter,
    duplicate_document_id,
    two_current_versions,
    broken_supersedes,
    ambiguous_heading,
    no_content_page,
    damaged_text,
    conflict_marker,
    front_matter_date,
    answer_split,
    table_split,
    open_fence,
    oversize_chunk,
    duplicate_chunk,
    near_duplicate_chunk,
    missed_evidence,
    answer_outranked,
    stale_document_match,
    unanswerable_junk,
    audience_leak,
    unfindable_section,
    dropped_before_prompt,
    duplicate_in_context,
    mixed_versions_in_context,
    unsupported_answer,
    unsupported_citation,
    broken_run_record,
    outdated_run,
    rank_regression,
    lost_answer,
    newly_split,
    json_syntax,
    label_schema,
    duplicate_label_id,
    unknown_section,
    evidence_not_found,
    evidence_ambiguous,
    evidence_in_superseded_document,
    answerable_without_gold,
    gold_on_unanswerable,
    question_leaks_evidence,
    duplicate_question,
    unknown_rule,
    unused_suppression,
    config_error,
)
