"""Verdicts as JUnit XML, as CI systems read it: a test suite per host. Pure."""

import re
from xml.etree import ElementTree

from orchestrate.verify.verdicts import Case, Outcome, Verdict, Verdicts

# What XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(verdicts: Verdicts) -> str:
    """The document. An unreachable host is a suite with an error, and says so as a property."""
    root = ElementTree.Element("testsuites", name="verify")
    root.extend(_suite(verdict) for verdict in verdicts.hosts)
    for count in ("tests", "failures", "errors", "skipped"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _suite(verdict: Verdict) -> ElementTree.Element:
    cases = [_case(verdict.host, test) for test in verdict.tests]
    if verdict.unreachable:
        cases.append(_unreachable(verdict))
    if verdict.left_out:
        cases.append(_left_out(verdict))
    suite = ElementTree.Element(
        "testsuite",
        name=_clean(verdict.host),
        hostname=_clean(verdict.host),
        tests=str(len(cases)),
        failures=str(len(verdict.failures)),
        errors=str(int(bool(verdict.unreachable))),
        skipped=str(verdict.count(Outcome.SKIPPED) + bool(verdict.left_out)),
        time=f"{verdict.seconds:.3f}",
    )
    properties = ElementTree.SubElement(suite, "properties")
    ElementTree.SubElement(properties, "property", name="state", value=verdict.state)
    suite.extend(cases)
    return suite


def _case(host: str, test: Case) -> ElementTree.Element:
    name = f"{test.suite}: {test.name}"
    case = ElementTree.Element(
        "testcase", classname=_clean(f"{host}.{test.suite}"), name=_clean(name)
    )
    case.set("time", f"{test.seconds:.3f}")
    if test.outcome is Outcome.FAILED:
        failure = ElementTree.SubElement(case, "failure", message=_clean(test.message))
        failure.text = _clean("\n\n".join(filter(None, [test.where, test.details, test.commands])))
    elif test.outcome is Outcome.SKIPPED:
        ElementTree.SubElement(case, "skipped", message=_clean(test.message))
    return case


def _unreachable(verdict: Verdict) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase", classname=_clean(verdict.host), name="reachable", time="0"
    )
    ElementTree.SubElement(case, "error", type="unreachable", message=_clean(verdict.unreachable))
    return case


def _left_out(verdict: Verdict) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname=verdict.host, name="left out", time="0")
    ElementTree.SubElement(case, "skipped", message=_clean(verdict.left_out))
    return case


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
