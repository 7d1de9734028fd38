#include <graphene-1.0/graphene.h>
