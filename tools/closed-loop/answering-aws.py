"""Runs command lines of the AWS CLI in one process, with answers given instead of a network.

A line in: {"argv": [words], "answers": [documents], "refusal": {Code, Message} or null}.
A line out: {"text": what the CLI prints, "answered": whether a document was of its call}.
"""
import contextlib
import io
import json
import os
import sys

from awscli.clidriver import create_clidriver
from botocore.endpoint import Endpoint

os.environ.update(
    AWS_ACCESS_KEY_ID="AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="eu-central-1", AWS_PAGER=""
)


class Answered:
    def __init__(self, status):
        self.status_code, self.headers = status, {}


def merged(operation, documents):
    members = set(operation.output_shape.members) if operation.output_shape else set()
    answer = {}
    for document in documents:
        if not isinstance(document, dict) or not document or not set(document) <= members | {"ResponseMetadata"}:
            continue
        for key, value in document.items():
            if isinstance(value, list) and isinstance(answer.get(key), list):
                answer[key] = answer[key] + value
            else:
                answer.setdefault(key, value)
    return answer


def run(driver, request):
    state = {"answered": False}

    def make_request(_self, operation, _request):
        if request["refusal"]:
            return Answered(400), {"Error": request["refusal"], "ResponseMetadata": {}}
        answer = merged(operation, request["answers"])
        state["answered"] = bool(answer)
        for key in operation.output_shape.members if operation.output_shape else ():
            if operation.output_shape.members[key].type_name == "list":
                answer.setdefault(key, [])
        return Answered(200), {**answer, "ResponseMetadata": {"HTTPStatusCode": 200}}

    Endpoint.make_request = make_request
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            driver.main(request["argv"])
        except SystemExit:
            pass
        printed.flush()
    return {"text": printed.buffer.getvalue().decode(), **state}


driver = create_clidriver()
for line in sys.stdin:
    print(json.dumps(run(driver, json.loads(line))), flush=True)
