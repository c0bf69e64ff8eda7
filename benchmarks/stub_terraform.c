/* Stands in for terraform: takes 2 ms and says what a plan of one resource says. */
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *PLAN =
    "{\"type\":\"version\",\"@message\":\"Terraform 1.11.4\",\"terraform\":\"1.11.4\"}\n"
    "{\"type\":\"planned_change\",\"@message\":\"terraform_data.a: Plan to create\",\"change\":"
    "{\"action\":\"create\",\"resource\":{\"addr\":\"terraform_data.a\","
    "\"resource_type\":\"terraform_data\"}}}\n"
    "{\"type\":\"change_summary\",\"@message\":\"Plan: 1 to add\",\"changes\":"
    "{\"add\":1,\"change\":0,\"remove\":0,\"operation\":\"plan\"}}\n";

int main(int argc, char **argv) {
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "version") == 0) {
        puts("Terraform v1.11.4");
        return 0;
    }
    struct timespec two_ms = {0, 2000000};
    nanosleep(&two_ms, NULL);
    if (strcmp(command, "plan") == 0) {
        fputs(PLAN, stdout);
        return 2;
    }
    return 0;
}
